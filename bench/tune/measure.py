"""Measures every setting of the spaces of spaces.json, in rounds of another order each, and writes data/<space>.csv.

    python3 bench/tune/measure.py [--rounds 3] [space ...]

CPU seconds of the child and of its children, which other programs on the machine disturb less than the time on the clock.
"""

import argparse
import itertools
import json
import os
import random
import resource
import subprocess
import tempfile
from pathlib import Path

here = Path(__file__).parent

work = """
const points = Array.from({ length: 6000 }, (_, i) => ({ x: (i * 7919) % 10007, name: `p${i % 97}` }))
let kept = []
for (let round = 0; round < 3; round++) {
  kept = points.map((p) => ({ ...p, y: p.x * round })).sort((a, b) => a.y - b.y || (a.name < b.name ? -1 : 1))
}
if (kept.length !== 6000) process.exit(1)
"""


def values(variable):
    if "choices" in variable:
        return variable["choices"]
    value, all_values = variable["from"], []
    while value <= variable["to"]:
        all_values.append(value)
        value = value * variable["factor"] if "factor" in variable else value + variable["step"]
    return all_values


def make_inputs(folder):
    rng = random.Random(1)
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9))) for _ in range(3000)]
    text = " ".join(words[min(int(rng.expovariate(0.004)), 2999)] for _ in range(60000))
    (folder / "text").write_text(text[:200_000])
    (folder / "short").write_text(text[:60_000])
    (folder / "lines").write_text("".join(f"{rng.random():.12f} {rng.choice(words)}\n" for _ in range(15000)))
    (folder / "work.js").write_text(work)
    fill = ["create table t(a integer, b text); create index i on t(b);"]
    for _ in range(60):
        rows = ",".join(f"({rng.randint(0, 10**6)},'{rng.choice(words) * 8}')" for _ in range(10))
        fill.append(f"insert into t values {rows};")
    (folder / "fill.sql").write_text("\n".join(fill) + "\n")


def words_of(command, setting):
    filled = []
    for word in command:
        for name, value in setting.items():
            if word.startswith("{" + name + ":"):
                word = str(value)
            word = word.replace("{" + name + "}", str(value))
        if word != "":
            filled.append(word)
    return filled


def measured(space, setting, folder):
    for name in ("base.db", "base.db-wal", "base.db-shm", "out"):
        (folder / name).unlink(missing_ok=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(words_of(space["command"], setting), cwd=folder, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    left = (folder / "out").stat().st_size if (folder / "out").exists() else len(ran.stdout)
    return seconds + space.get("secondsPerByte", 0) * left


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("spaces", nargs="*")
    given = parser.parse_args()
    (here / "data").mkdir(exist_ok=True)
    for name, space in json.loads((here / "spaces.json").read_text()).items():
        if given.spaces and name not in given.spaces:
            continue
        names = list(space["variables"])
        settings = list(itertools.product(*(values(each) for each in space["variables"].values())))
        times = {setting: [] for setting in settings}
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            make_inputs(folder)
            for round_number in range(given.rounds):
                order = settings[:]
                random.Random(round_number).shuffle(order)
                for setting in order:
                    times[setting].append(measured(space, dict(zip(names, setting)), folder))
        lines = [",".join([*names, *(f"run{i + 1}" for i in range(given.rounds))])]
        lines += [",".join([*map(str, s), *(f"{t:.6f}" for t in times[s])]) for s in settings]
        (here / "data" / f"{name}.csv").write_text("\n".join(lines) + "\n")
        print(name, len(settings), "settings", os.linesep, end="", flush=True)


main()
