"""Minimise what you can only query: ask and tell, by way of the program ``zeroth serve``.

    >>> import zeroth
    >>> result = zeroth.minimize(lambda x: sum((v - 1) ** 2 for v in x), [0, 0, 0])

Points are lists of numbers, NumPy arrays where the start is one, or dictionaries where variables have names.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import shutil
import subprocess
from types import TracebackType
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Type, Union

__all__ = ["Session", "ZerothError", "minimize"]
__version__ = "0.1.0"

Point = Any
"""A list of floats, a NumPy array, or a dictionary by the names of variables."""

Value = Union[float, None, BaseException, Mapping[str, str]]
"""An answer: a number; None, an exception or ``{"error": "why"}`` where there is none."""


class ZerothError(Exception):
    """What zeroth refuses, in its words; ``code`` tells the kind."""

    def __init__(self, message: str, code: str = "internal") -> None:
        super().__init__(message)
        self.code = code


class Session:
    """One run at work: ``ask`` for points, ``tell`` their values, until it is ``done``.

    The options are those of a spec, in Python's spelling (``max_queries`` is ``maxQueries``). A checkpoint of ``save``
    goes on where it was taken, with the same options. ``command`` starts the server; the environment variable
    ``ZEROTH_COMMAND`` does so for a whole program.
    """

    def __init__(
        self,
        start: Any = None,
        *,
        dim: Optional[int] = None,
        variables: Optional[Mapping[str, Any]] = None,
        bounds: Optional[Sequence[Any]] = None,
        set: Any = None,  # noqa: A002 - its name in a spec
        solver: Any = None,
        seed: Optional[int] = None,
        max_queries: Optional[int] = None,
        max_iterations: Optional[int] = None,
        max_time: Optional[float] = None,
        target: Optional[float] = None,
        patience: Optional[int] = None,
        failures: Optional[str] = None,
        precision: Optional[str] = None,
        checkpoint: Optional[str] = None,
        command: Optional[Sequence[str]] = None,
    ) -> None:
        given = {
            "start": start,
            "dim": dim,
            "variables": variables,
            "bounds": bounds,
            "set": set,
            "solver": solver,
            "seed": seed,
            "maxQueries": max_queries,
            "maxIterations": max_iterations,
            "maxTime": max_time,
            "target": target,
            "patience": patience,
            "failures": failures,
            "precision": precision,
        }
        self.spec: Dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        self._numpy = type(start).__module__.split(".")[0] == "numpy"
        self._next = 0
        self._id: Optional[int] = None
        self._process = _started(command)
        try:
            extra = {} if checkpoint is None else {"checkpoint": checkpoint}
            created = self._call("create", spec=self.spec, **extra)
        except BaseException:
            self.close()
            raise
        self._id = created["session"]
        self.dim: int = created["dim"]
        self.names: Optional[List[str]] = created.get("names")
        self._take(created)

    def ask(self) -> List[Point]:
        """The points of the next iteration; asking again before telling gives the same ones."""
        return [self._point(query) for query in self._call("ask")["queries"]]

    def tell(self, values: Sequence[Value]) -> None:
        """The values of the points that were asked, in their order. What is not finite counts as failed."""
        self._take(self._call("tell", values=[_answer(value) for value in values]))

    @property
    def best(self) -> Dict[str, Any]:
        """The best point so far, as ``point`` (and ``variables``), and its ``value``."""
        return self._named(self._call("best"))

    def save(self) -> str:
        """A checkpoint, as text: a session with the same options and this one goes on with the same bits."""
        return str(self._call("save")["checkpoint"])

    def stop(self) -> Dict[str, Any]:
        """Ends the session now; returns its result."""
        self._take(self._call("stop"))
        assert self.result is not None
        return self.result

    def close(self) -> None:
        """Ends the server."""
        process = self._process
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def __enter__(self) -> "Session":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def _take(self, state: Mapping[str, Any]) -> None:
        self.done: bool = state["done"]
        self.warnings: List[str] = state["warnings"]
        self.result: Optional[Dict[str, Any]] = self._named(state["result"]) if self.done else None

    def _named(self, found: Dict[str, Any]) -> Dict[str, Any]:
        found = {key: _number(value) if key == "value" else value for key, value in found.items()}
        return {**found, "point": self._point(found["point"])}

    def _point(self, point: Any) -> Point:
        if isinstance(point, list):
            point = [float(_number(value)) for value in point]
            if self._numpy:
                import numpy

                return numpy.array(point, dtype=float)
        return point

    def _call(self, method: str, **fields: Any) -> Dict[str, Any]:
        self._next += 1
        request = {"id": self._next, "method": method, **fields}
        if self._id is not None:
            request["session"] = self._id
        text = json.dumps(request, default=_plain)
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(text + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except (OSError, ValueError) as error:
            raise _gone(process, error) from error
        if line == "":
            raise _gone(process)
        reply = json.loads(line)
        if "error" in reply:
            raise ZerothError(reply["error"]["message"], reply["error"]["code"])
        result: Dict[str, Any] = reply["result"]
        return result


def minimize(f: Callable[[Point], Value], start: Any = None, **options: Any) -> Dict[str, Any]:
    """Minimises a function, called with one point at a time; returns the result.

    The options are those of ``Session``. What the function raises is a failed query. Where that ends the run, as at the
    start, the error is raised again. KeyboardInterrupt ends the run at once.
    """
    with Session(start, **options) as session:
        raised: Optional[Exception] = None
        while not session.done:
            values: List[Value] = []
            for point in session.ask():
                try:
                    values.append(f(point))
                except Exception as error:  # noqa: BLE001 - whatever it is, the query has failed
                    values.append(error)
                    raised = error
                    if session.spec.get("failures") == "stop":
                        raise
            session.tell(values)
        result = session.result
        assert result is not None
        if result["status"] == "failed":
            if raised is not None:
                raise raised
            raise ZerothError(str(result["error"]), "objective-failed")
        return result


def _started(command: Optional[Sequence[str]]) -> "subprocess.Popen[str]":
    words = list(command) if command is not None else shlex.split(os.environ.get("ZEROTH_COMMAND", ""))
    if not words:
        # Never fetches a package of this name from the network: it must have been installed.
        words = ["npx", "--no", "--", "zeroth", "serve"]
    program = shutil.which(words[0])
    if program is None:
        raise ZerothError(f"there is no program {words[0]}: zeroth needs Node 20.19 or newer, https://nodejs.org", "missing-program")
    return subprocess.Popen([program, *words[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", bufsize=-1)


def _gone(process: "subprocess.Popen[str]", error: Optional[BaseException] = None) -> ZerothError:
    try:
        code = process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        code = None
    why = f"its exit code is {code}" if code is not None else str(error)
    return ZerothError(f"zeroth serve has ended ({why}); is it installed here? npm install zeroth", "server-gone")


def _plain(value: Any) -> Any:
    """NumPy's arrays and numbers, and whatever else knows how it is written as lists and numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be sent to zeroth: {value!r}")


def _answer(value: Value) -> Any:
    if isinstance(value, BaseException):
        return {"error": f"{type(value).__name__}: {value}"}
    if hasattr(value, "tolist"):
        value = value.tolist()  # type: ignore[union-attr]
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if isinstance(value, float) and not math.isfinite(value):
        return {"error": f"the value is {value}"}
    return value


def _number(value: Any) -> Any:
    """A number that JSON has no digits for is a word there."""
    return float(value.replace("Infinity", "inf")) if isinstance(value, str) else value
