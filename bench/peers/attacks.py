"""The black-box attacks of other packages, each as its authors set it, for bench/attacks/peers.ts.

Speaks frames on stdin and stdout. First a frame of JSON lists the methods: a negative 32-bit count and so many bytes. Then, for
each job (a count, JSON, and the raw float32 pixels of one image), rows of pixels go out as a positive count of rows and raw
float32; a count of rows and their scores, raw float32, come back, or a count of 0: the run is over. At its end, JSON again.
The network is on the other side: what is counted there is what reached it.
"""

import importlib.metadata
import logging
import random
import struct
import warnings

import numpy as np

from frames import heard, read, say, write

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)


class Stop(BaseException):
    """The run is over. Not an Exception: no library may swallow it."""


class Job:
    """One image to attack, and the way to the network."""

    def __init__(self):
        about = heard()
        self.solver, self.seed, self.budget = about["solver"], about["seed"], about["budget"]
        self.norm, self.limit = about.get("norm"), about.get("limit")
        self.label, self.target, self.classes = about["label"], about.get("target"), about["classes"]
        self.shape, self.network = tuple(about["shape"]), about.get("network")
        self.preprocessing = about.get("preprocessing") or {}
        self.pixels = self.image()
        self.start = self.image() if about["hasStart"] else None

    def image(self):
        return np.frombuffer(read(4 * int(np.prod(self.shape))), np.float32).reshape(self.shape).copy()

    def ask(self, rows):
        """The scores of some pictures; raises Stop where the run is over."""
        rows = np.ascontiguousarray(np.asarray(rows, np.float32).reshape((-1,) + self.shape))
        write(struct.pack("<i", len(rows)) + rows.tobytes())
        count = struct.unpack("<i", read(4))[0]
        if count == 0:
            raise Stop
        return np.frombuffer(read(4 * count * self.classes), np.float32).reshape(count, self.classes).copy()


def torch_module(job):
    import torch

    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.place = torch.nn.Parameter(torch.zeros(1))  # packages look for the device of a parameter

        def forward(self, x):
            return torch.from_numpy(job.ask(x.detach().numpy()))

    return Network().eval()


def torchattacks_square(p_init):
    def run(job):
        import torch
        import torchattacks

        norm = {"linf": "Linf", "l2": "L2"}[job.norm]
        attack = torchattacks.Square(
            torch_module(job), norm=norm, eps=job.limit, n_queries=job.budget, p_init=p_init, seed=job.seed
        )
        attack(torch.from_numpy(job.pixels[None]), torch.tensor([job.label]))

    return run


def art_classifier(job, probabilities=False):
    from art.estimators.classification.blackbox import BlackBoxClassifierNeuralNetwork

    def predict(x):
        scores = job.ask(x)
        if not probabilities:
            return scores
        powers = np.exp(scores - scores.max(1, keepdims=True))
        return powers / powers.sum(1, keepdims=True)

    class Classifier(BlackBoxClassifierNeuralNetwork):
        def predict(self, x, batch_size=128, **more):
            return predict(x)

    return Classifier(predict, job.shape, job.classes, channels_first=True, clip_values=(0.0, 1.0))


def art_generate(job, attack, **more):
    wanted = np.zeros((1, job.classes), np.float32)
    wanted[0, job.label if job.target is None else job.target] = 1
    attack.generate(job.pixels[None], y=wanted, **more)


def art_square(job):
    from art.attacks.evasion import SquareAttack

    norm, p_init = (np.inf, 0.8) if job.norm == "linf" else (2, 0.1)
    attack = SquareAttack(
        art_classifier(job), norm=norm, max_iter=job.budget, eps=job.limit, p_init=p_init, nb_restarts=1, verbose=False
    )
    art_generate(job, attack)


def art_simba(job):
    from art.attacks.evasion import SimBA

    side = job.shape[1]
    attack = SimBA(
        art_classifier(job, probabilities=True),
        attack="dct",
        max_iter=job.budget,
        epsilon=0.2,
        freq_dim=28 if side > 100 else side // 2,
        stride=7 if side > 100 else 1,
        verbose=False,
    )
    art_generate(job, attack)


def art_hopskipjump(job):
    from art.attacks.evasion import HopSkipJump

    attack = HopSkipJump(
        art_classifier(job),
        targeted=job.target is not None,
        norm=2,
        max_iter=job.budget,
        max_eval=10_000 if job.shape[1] < 100 else 2000,
        init_eval=100,
        init_size=1000,
        verbose=False,
    )
    art_generate(job, attack, **({} if job.start is None else {"x_adv_init": job.start[None]}))


def foolbox_attack(make):
    def run(job):
        import foolbox
        import torch

        model = foolbox.PyTorchModel(torch_module(job), bounds=(0, 1), device="cpu")
        criteria = foolbox.criteria
        wanted = (
            criteria.Misclassification(torch.tensor([job.label]))
            if job.target is None
            else criteria.TargetedMisclassification(torch.tensor([job.target]))
        )
        more = {} if job.start is None else {"starting_points": torch.from_numpy(job.start[None])}
        make(foolbox.attacks)(model, torch.from_numpy(job.pixels[None]), wanted, epsilons=None, **more)

    return run


def foolbox_hopskipjump(attacks):
    return attacks.HopSkipJumpAttack(steps=10_000, max_gradient_eval_steps=10_000, constraint="l2")


def foolbox_boundary(attacks):
    return attacks.BoundaryAttack(steps=1_000_000)


def white_box(job):
    """The nearest success of DDN with three settings, which read the gradients. What it found is asked, a bit further, too:
    the network is computed by another library here."""
    import foolbox
    import torch

    model = foolbox.PyTorchModel(torch_copy(job), bounds=(0, 1), device="cpu")
    pixels = torch.from_numpy(job.pixels[None])
    wanted = foolbox.criteria.Misclassification(torch.tensor([job.label]))
    for steps, gamma in ((300, 0.05), (1000, 0.05), (1000, 0.01)):
        attack = foolbox.attacks.DDNAttack(steps=steps, gamma=gamma)
        _, found, _ = attack(model, pixels, wanted, epsilons=None)
        change = found.numpy() - job.pixels[None]
        further = np.array([0, 1e-5, 1e-4, 1e-3, 1e-2], np.float32).reshape(-1, 1, 1, 1)
        job.ask(np.clip(job.pixels[None] + (1 + further) * change, 0, 1))


copies = {}


def torch_copy(job):
    """The network with gradients: weights behind a Cast are folded first, which the converter does not know."""
    import onnx
    import onnx2torch
    import torch
    from onnx import numpy_helper

    if job.network not in copies:
        graph = onnx.load(job.network)
        weights = {each.name: each for each in graph.graph.initializer}
        kept = []
        for node in graph.graph.node:
            if node.op_type == "Cast" and node.input[0] in weights:
                values = numpy_helper.to_array(weights[node.input[0]]).astype(np.float32)
                graph.graph.initializer.append(numpy_helper.from_array(values, node.output[0]))
            else:
                kept.append(node)
        del graph.graph.node[:]
        graph.graph.node.extend(kept)
        copies[job.network] = onnx2torch.convert(graph).eval()
    core = copies[job.network]
    by_channel = {key: torch.tensor(job.preprocessing[key], dtype=torch.float32) for key in ("factor", "shift")}
    scale, shift = (by_channel[key].reshape(-1, 1, 1) for key in ("factor", "shift"))
    offset = job.preprocessing["labelOffset"]

    class Copy(torch.nn.Module):
        def forward(self, x):
            fed = x * scale + shift
            if job.preprocessing["channelOrder"] == "BGR":
                fed = fed.flip(1)
            if job.preprocessing["layout"] == "NHWC":
                fed = fed.permute(0, 2, 3, 1)
            return core(fed).reshape(len(x), -1)[:, offset:]

    return Copy().eval()


limited, decisions = ["linf", "l2"], ["nearest", "targeted"]
methods = {
    "square-torchattacks": ("torchattacks", limited, torchattacks_square(0.8)),
    "square05-torchattacks": ("torchattacks", limited, torchattacks_square(0.05)),
    "square-art": ("adversarial-robustness-toolbox", limited, art_square),
    "simba-art": ("adversarial-robustness-toolbox", ["l2"], art_simba),
    "hopskipjump-art": ("adversarial-robustness-toolbox", decisions, art_hopskipjump),
    "hopskipjump-foolbox": ("foolbox", decisions, foolbox_attack(foolbox_hopskipjump)),
    "boundary-foolbox": ("foolbox", ["nearest"], foolbox_attack(foolbox_boundary)),
    "white-box": ("foolbox", ["nearest"], white_box),
}
needs = {"white-box": ["torch", "onnx2torch"], "square-torchattacks": ["torch"], "square05-torchattacks": ["torch"]}


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def is_there(name, package):
    return all(version(each) is not None for each in [package, *needs.get(name, ["torch"])])


def offer(name, package, kinds):
    return {"name": name, "package": package, "kinds": kinds, "version": version(package) if is_there(name, package) else None}


def seeded(seed):
    random.seed(seed)
    np.random.seed(seed)
    if version("torch") is not None:
        import torch

        torch.manual_seed(seed)
        torch.set_num_threads(1)


def attack(job):
    try:
        seeded(job.seed)
        methods[job.solver][2](job)
        return "ended"
    except Stop:
        return "stopped"
    except Exception as error:  # a package that breaks down is a result, too
        return f"failed: {type(error).__name__}: {error}"


say([offer(name, package, kinds) for name, (package, kinds, _) in methods.items()])
while True:
    say({"note": attack(Job())})
