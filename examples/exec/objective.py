#!/usr/bin/env python3
# A black box for zeroth: reads points as lines of JSON, writes a value for each. Needs nothing but Python 3.
# Try it: echo '{"id":1,"x":[1.5,2.0]}' | python3 objective.py
import json
import sys


def objective(x):
    """Put your own function here: Rosenbrock's valley, 0 at (1, ..., 1)."""
    if len(x) < 2:
        raise ValueError("the point needs at least 2 coordinates")
    total = 0.0
    for a, b in zip(x, x[1:]):
        rise = b - a * a
        rest = 1 - a
        total += 100 * rise * rise + rest * rest
    return total


for line in sys.stdin:
    request = json.loads(line)
    try:
        reply = {"id": request["id"], "value": objective(request["x"])}
    except Exception as error:
        reply = {"id": request["id"], "error": str(error)}
    print(json.dumps(reply), flush=True)
