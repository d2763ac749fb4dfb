"""Optuna and random search on the measured spaces of bench/tune, as many runs each as asked.

    python3 tune.py FOLDER METHOD SEEDS RUNS        a line of JSON per space and seed: the settings it ran, in their order
    python3 tune.py FOLDER workers METHOD SECONDS   eight threads on a function that waits 50 to 150 ms: busy, values
"""

import csv
import json
import math
import random
import sys
import threading
import time
from pathlib import Path


def table_of(folder, name, space):
    with open(Path(folder) / "data" / f"{name}.csv") as file:
        rows = list(csv.reader(file))[1:]
    names = list(space["variables"])
    return {tuple(row[: len(names)]): (i, [float(t) for t in row[len(names) :]]) for i, row in enumerate(rows)}


def levels(variable):
    if "factor" not in variable:
        return None
    value, found = variable["from"], []
    while value <= variable["to"]:
        found.append(value)
        value *= variable["factor"]
    return found


def suggest(trial, name, variable):
    if "choices" in variable:
        return trial.suggest_categorical(name, variable["choices"])
    powers = levels(variable)
    if powers is not None:
        return powers[trial.suggest_int(name, 0, len(powers) - 1)]
    return trial.suggest_int(name, variable["from"], variable["to"], step=variable["step"])


def sampler_of(method, seed, **options):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    if method == "tpe":
        return optuna.samplers.TPESampler(seed=seed, **options)
    if method == "cma-es":
        return optuna.samplers.CmaEsSampler(seed=seed)
    return optuna.samplers.GPSampler(seed=seed, deterministic_objective=False)


def replayed(method, seed, runs, space, table):
    rng = random.Random(seed)
    ran, answers = [], []

    def answer(index, times):
        ran.append(index)
        answers.append(rng.choice(times))
        return answers[-1]

    if method == "random":
        for _ in range(runs):
            answer(*rng.choice(list(table.values())))
    else:
        import optuna

        def objective(trial):
            setting = tuple(str(suggest(trial, name, each)) for name, each in space["variables"].items())
            return answer(*table[setting])

        optuna.create_study(sampler=sampler_of(method, seed)).optimize(objective, n_trials=runs)
    return {"seed": seed, "ran": ran, "answers": answers}


def workers(method, seconds):
    """Eight threads; the function, and how long it waits, are those of bench/tune/workers.ts."""
    import optuna

    lock, spans, values, began = threading.Lock(), [], [], time.perf_counter()

    def objective(trial):
        x = [trial.suggest_float(f"x{i}", -2, 2) for i in range(4)]
        start = time.perf_counter()
        time.sleep(0.05 + 0.1 * (math.sin(1e4 * sum(x)) % 1))
        end = time.perf_counter()
        value = sum(100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2 for i in range(3))
        with lock:
            spans.append(min(end - began, seconds) - min(start - began, seconds))
            values.append((end - began, value))
        return value

    study = optuna.create_study(sampler=sampler_of(method, 1))
    study.optimize(objective, timeout=seconds, n_jobs=8)
    print(json.dumps({"busy": sum(spans) / (8 * seconds), "values": values}))


def main():
    folder, method, *rest = sys.argv[1:]
    if method == "workers":
        return workers(rest[0], float(rest[1]))
    seeds, runs = int(rest[0]), int(rest[1])
    for name, space in json.loads((Path(folder) / "spaces.json").read_text()).items():
        if not (Path(folder) / "data" / f"{name}.csv").exists():
            continue
        table = table_of(folder, name, space)
        for seed in range(seeds):
            print(json.dumps({"space": name, **replayed(method, seed, runs, space, table)}), flush=True)


main()
