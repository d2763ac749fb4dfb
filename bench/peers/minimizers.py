"""The Python minimisers of the general benchmark, each with one setting for all problems.

Speaks frames on stdin and stdout, as bench/general/peer-solvers.ts wants them: a signed 32-bit length, then so many bytes.
First, a frame of JSON that lists the methods. Then, for each job (a frame of JSON), points go out as a positive count and
raw float64, and a float64 comes back for each; at the end a negative count and so many bytes of JSON.
"""

import importlib.metadata
import importlib.util
import struct
import sys
import time
import warnings

from frames import heard, read, say, write

warnings.filterwarnings("ignore")


class Stop(Exception):
    """The budget is spent."""


class Oracle:
    """Asks the benchmark for values, and remembers the point with the lowest one."""

    def __init__(self, job):
        self.budget, self.calls, self.waiting = job["budget"], 0, 0.0
        self.lowest, self.point = np.inf, np.array(job["start"])

    def __call__(self, x, *_):
        began = time.perf_counter()
        if self.calls >= self.budget:
            raise Stop
        self.calls += 1
        x = np.ascontiguousarray(x, dtype=np.float64)
        write(struct.pack("<i", x.size) + x.tobytes())
        value = struct.unpack("<d", read(8))[0]
        if value < self.lowest:
            self.lowest, self.point = value, x.copy()
        self.waiting += time.perf_counter() - began
        return value


def bounds(job):
    return None if "lower" not in job else list(zip(job["lower"], job["upper"]))


def scipy_method(method, **options):
    def run(f, job):
        from scipy.optimize import minimize

        limits = {
            "Nelder-Mead": dict(maxfev=job["budget"], maxiter=10**9),
            "Powell": dict(maxfev=job["budget"], maxiter=10**9),
            "COBYQA": dict(maxfev=job["budget"], maxiter=10**9),
            "L-BFGS-B": dict(maxfun=10**9, maxiter=10**9),
        }.get(method, dict(maxiter=10**6))
        result = minimize(f, job["start"], method=method, bounds=bounds(job), options={**options, **limits})
        return result.x, str(result.message)

    return run


def pycma(diagonal):
    def run(f, job):
        import cma

        options = dict(maxfevals=job["budget"], verbose=-9, seed=job["seed"], verb_log=0, verb_disp=0)
        if diagonal:
            options["CMA_diagonal"] = True
        if "lower" in job:
            lower, upper = np.array(job["lower"]), np.array(job["upper"])
            options.update(bounds=[job["lower"], job["upper"]], CMA_stds=(upper - lower).tolist())
        _, strategy = cma.fmin2(f, job["start"], job["spread"], options, restarts=9, incpopsize=2)
        return strategy.result.xbest, "finished"

    return run


def ngopt(f, job):
    import nevergrad as ng

    limits = {} if "lower" not in job else dict(lower=np.array(job["lower"]), upper=np.array(job["upper"]))
    variables = ng.p.Array(init=np.array(job["start"]), **limits)
    variables.random_state.seed(job["seed"])
    optimizer = ng.optimizers.NGOpt(variables, budget=job["budget"])
    for _ in range(job["budget"]):
        candidate = optimizer.ask()
        optimizer.tell(candidate, f(candidate.value))
    return optimizer.provide_recommendation().value, "finished"


def tpe(f, job):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    start = np.array(job["start"], dtype=float)
    # It needs bounds: where there are none, ten times as far around the start as the others are told to look.
    reach = 10 * job["spread"]
    lower = job.get("lower", (start - reach).tolist())
    upper = job.get("upper", (start + reach).tolist())
    names = [f"x{i}" for i in range(start.size)]
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=job["seed"]))
    study.enqueue_trial(dict(zip(names, start.tolist())))
    study.optimize(
        lambda trial: f(np.array([trial.suggest_float(n, a, b) for n, a, b in zip(names, lower, upper)])),
        n_trials=job["budget"],
    )
    return np.array([study.best_params[name] for name in names]), "finished"


def py_bobyqa(f, job):
    import pybobyqa

    np.random.seed(job["seed"])
    start = np.array(job["start"])
    setting = dict(rhobeg=0.1 * max(1.0, float(np.max(np.abs(start)))))
    if "lower" in job:
        limits = (np.array(job["lower"]), np.array(job["upper"]))
        setting = dict(rhobeg=0.1, scaling_within_bounds=True, bounds=limits)
    noise = dict(objfun_has_noise=job["noisy"], do_logging=False, rhoend=1e-8)
    result = pybobyqa.solve(f, start, maxfun=job["budget"], **noise, **setting)
    return result.x, str(result.msg)


def random_search(f, job):
    generator = np.random.default_rng(job["seed"])
    start = np.array(job["start"])
    f(start)
    while True:
        if "lower" in job:
            f(generator.uniform(job["lower"], job["upper"]))
        else:
            f(start + job["spread"] * generator.standard_normal(start.size))


# The package that it needs, whether it draws random numbers, the most variables it is for, and how it is run.
METHODS = {
    "scipy-lbfgsb": ("scipy", False, 10**6, scipy_method("L-BFGS-B", ftol=1e-16, gtol=1e-12)),
    "scipy-lbfgsb-50": ("scipy", False, 10**6, scipy_method("L-BFGS-B", ftol=1e-16, gtol=1e-12, maxcor=50)),
    "scipy-slsqp": ("scipy", False, 100, scipy_method("SLSQP", ftol=1e-16)),
    "scipy-nelder-mead": ("scipy", False, 100, scipy_method("Nelder-Mead", xatol=1e-10, fatol=1e-12, adaptive=True)),
    "scipy-powell": ("scipy", False, 1000, scipy_method("Powell", xtol=1e-8, ftol=1e-14)),
    "scipy-cobyqa": ("scipy", False, 20, scipy_method("COBYQA", final_tr_radius=1e-8)),
    "pycma": ("cma", True, 100, pycma(False)),
    "pycma-separable": ("cma", True, 10**6, pycma(True)),
    "nevergrad-ngopt": ("nevergrad", True, 1000, ngopt),
    "optuna-tpe": ("optuna", True, 100, tpe),
    "py-bobyqa": ("Py-BOBYQA", False, 20, py_bobyqa),
    "random-search": ("numpy", True, 10**6, random_search),
}


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def perform(job):
    oracle = Oracle(job)
    began = time.perf_counter()
    try:
        point, note = METHODS[job["solver"]][3](oracle, job)
    except Stop:
        point, note = oracle.point, "max-queries"
    except Exception as error:  # a peer's failure is a result
        point, note = oracle.point, f"failed: {type(error).__name__}: {error}"
    own = time.perf_counter() - began - oracle.waiting
    found = np.asarray(point, dtype=float).tolist()
    say(dict(own=own * 1e3, note=note, point=found if len(found) == len(job["start"]) else None))


versions = {name: version(package) for name, (package, _, _, _) in METHODS.items()}
if version("numpy") is None:
    sys.exit("numpy is not installed")
import numpy as np

np.seterr(all="ignore")
say(
    [
        dict(name=name, package=package, version=versions[name], random=random, largest=largest)
        for name, (package, random, largest, _) in METHODS.items()
    ]
)
while True:
    perform(heard())
