"""The problems of the COCO platform (Hansen et al., 2021), and other minimisers on them, for npm run bench -- coco.

Speaks frames on stdin and stdout, see frames.py. First, JSON that lists the solvers. Then, for each job (JSON): with a solver,
the account of its run comes back. Without one, first the problem comes back (JSON), then each frame with a point (a positive
count and raw float64) is answered with its value and its constraints (raw float64); an empty frame asks for the account.
Every evaluation is counted here, for all solvers alike.
"""

import importlib.metadata
import os
import struct
import sys
import tempfile
import time

from frames import heard, read, say, write

try:
    import cocoex
    import numpy as np
except ImportError as error:
    sys.exit(f"coco-experiment is not installed: {error}")

np.seterr(all="ignore")

# The targets of COCO: the lowest value there is, plus these.
TARGETS = np.array([10 ** (2 - k / 5) for k in range(51)])
# What a violation of constraints may be at most, as COCO has it for its own final targets.
FEASIBLE = 1e-8


class Stop(Exception):
    """The budget is spent."""


class Counted:
    """One problem, and what was asked of it."""

    def __init__(self, job):
        self.suite = cocoex.Suite(
            job["suite"], "", f"dimensions:{job['dim']} function_indices:{job['function']} instance_indices:{job['instance']}"
        )
        self.problem = self.suite[0]
        self.budget, self.evaluations, self.waiting = job["budget"], 0, 0.0
        self.best, self.hits = np.inf, [None] * len(TARGETS)
        self.constraints = self.problem.number_of_constraints
        self.whole = self.problem.number_of_integer_variables
        self.lowest = lowest(self.problem)

    def both(self, x):
        if self.evaluations >= self.budget:
            raise Stop
        began = time.perf_counter()
        self.evaluations += 1
        x = np.array(x, dtype=float)
        value = self.problem(x)
        limits = self.problem.constraint(x) if self.constraints else np.zeros(0)
        if (limits <= FEASIBLE).all() and value < self.best:
            self.best = value
            for k, target in enumerate(TARGETS):
                if self.hits[k] is None and value - self.lowest <= target:
                    self.hits[k] = self.evaluations
        self.waiting += time.perf_counter() - began
        return value, limits

    def __call__(self, x):
        return self.both(x)[0]

    def account(self, own=None, note=""):
        best = None if not np.isfinite(self.best) else float(self.best - self.lowest)
        return dict(evaluations=self.evaluations, best=best, hits=self.hits, own=own, note=note)

    def about(self):
        lower, upper = (np.asarray(b, dtype=float).tolist() for b in (self.problem.lower_bounds, self.problem.upper_bounds))
        return dict(lower=lower, upper=upper, whole=self.whole, constraints=self.constraints)


def lowest(problem):
    """The lowest value of a problem, which COCO only writes into a file."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            problem._best_parameter("print")
            return float(problem(np.loadtxt("._bbob_problem_best_parameter.txt")))
        finally:
            os.chdir(here)


def random_search(f, job):
    """Uniform points."""
    generator = np.random.default_rng(job["seed"])
    while True:
        x = generator.uniform(f.problem.lower_bounds, f.problem.upper_bounds)
        f.both(np.concatenate([np.floor(whole_uniform(generator, f)), x[f.whole :]]))


def whole_uniform(generator, f):
    lower, upper = (np.asarray(b)[: f.whole] for b in (f.problem.lower_bounds, f.problem.upper_bounds))
    return generator.uniform(lower, upper + 1)


def optuna_sampler(make):
    def run(f, job):
        import warnings

        import optuna

        warnings.filterwarnings("ignore")
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        lower, upper = f.problem.lower_bounds, f.problem.upper_bounds

        def objective(trial):
            x = [
                trial.suggest_int(f"x{i}", int(lower[i]), int(upper[i]))
                if i < f.whole
                else trial.suggest_float(f"x{i}", float(lower[i]), float(upper[i]))
                for i in range(f.problem.dimension)
            ]
            value, limits = f.both(x)
            trial.set_user_attr("limits", [float(c) for c in limits])
            return value

        constraints = dict(constraints_func=lambda trial: trial.user_attrs["limits"]) if f.constraints else {}
        study = optuna.create_study(sampler=make(optuna.samplers, job["seed"], constraints))
        study.optimize(objective, n_trials=job["budget"])

    return run


def pycma(f, job):
    """With restarts, as on COCO's own pages; whole numbers are its own option."""
    import cma

    lower, upper = np.asarray(f.problem.lower_bounds), np.asarray(f.problem.upper_bounds)
    generator = np.random.default_rng(job["seed"])
    options = dict(verbose=-9, verb_log=0, verb_disp=0, seed=job["seed"], bounds=[lower.tolist(), upper.tolist()])
    options.update(CMA_stds=(upper - lower).tolist(), maxfevals=job["budget"])
    if f.whole:
        options["integer_variables"] = list(range(f.whole))
    cma.fmin2(f, lambda: generator.uniform(lower, upper), 0.2, options, restarts=9, incpopsize=2)


def cobyqa(f, job):
    """From the middle, and from points drawn at random as often as the budget allows."""
    from scipy.optimize import Bounds, NonlinearConstraint, minimize

    lower, upper = np.asarray(f.problem.lower_bounds), np.asarray(f.problem.upper_bounds)
    generator = np.random.default_rng(job["seed"])
    start, last = (lower + upper) / 2, {}

    def value(x):
        last["x"], (last["f"], last["g"]) = x.copy(), f.both(x)
        return last["f"]

    def limits(x):
        if "x" not in last or not np.array_equal(last["x"], x):
            value(x)
        return last["g"]

    more = dict(constraints=NonlinearConstraint(limits, -np.inf, 0)) if f.constraints else {}
    while True:
        minimize(value, start, method="COBYQA", bounds=Bounds(lower, upper), options=dict(maxfev=10**9, maxiter=10**9), **more)
        start = generator.uniform(lower, upper)


def differential_evolution(f, job):
    from scipy.optimize import differential_evolution as evolve

    bounds = list(zip(f.problem.lower_bounds, f.problem.upper_bounds))
    whole = [i < f.whole for i in range(f.problem.dimension)]
    evolve(f, bounds, seed=job["seed"], maxiter=10**6, tol=0, polish=False, integrality=whole)


# The package, the most variables, whether it takes whole numbers and constraints, and how it is run.
SOLVERS = {
    "random-search": ("numpy", 10**6, True, True, random_search),
    "pycma": ("cma", 10**6, True, False, pycma),
    "scipy-cobyqa": ("scipy", 20, False, True, cobyqa),
    "scipy-de": ("scipy", 10**6, True, False, differential_evolution),
    "optuna-tpe": ("optuna", 100, True, True, optuna_sampler(lambda s, seed, more: s.TPESampler(seed=seed, **more))),
    "optuna-gp": ("optuna", 20, True, True, optuna_sampler(lambda s, seed, more: s.GPSampler(seed=seed, **more))),
}


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def run(f, job):
    began, note = time.perf_counter(), "finished"
    try:
        SOLVERS[job["solver"]][4](f, job)
    except Stop:
        note = "max-queries"
    except Exception as error:  # a peer's failure is a result
        note = f"failed: {type(error).__name__}: {error}"
    say(f.account(time.perf_counter() - began - f.waiting, note))


def serve(f):
    say(f.about())
    while True:
        count = struct.unpack("<i", read(4))[0]
        if count == 0:
            return say(f.account())
        value, limits = f.both(np.frombuffer(read(8 * count), dtype="<f8"))
        write(np.array([value, *limits], dtype="<f8").tobytes())


say(
    [
        dict(name=name, package=package, version=version(package), largest=largest, whole=whole, constraints=constraints)
        for name, (package, largest, whole, constraints, _) in SOLVERS.items()
    ]
)
while True:
    job = heard()
    f = Counted(job)
    run(f, job) if job.get("solver") else serve(f)
