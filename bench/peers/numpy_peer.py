"""The NumPy peer of the kernels benchmark: the estimator and the update as the authors of ZO-AdaMM wrote them.

Speaks lines, as bench/peer.ts wants them: "title | variants" first, then the milliseconds of each request.
"""

import sys
import time

import numpy as np

MU, BETA1, BETA2, ALPHA, BOUND = 0.005, 0.9, 0.3, 0.01, 0.5


class Run:
    """The state of one dimension, in float64 as in the original."""

    def __init__(self, d, q):
        self.d, self.q = d, q
        self.x = np.zeros(d)
        self.m = np.zeros(d)
        self.v = np.full(d, 1e-5)
        self.vhat = np.full(d, 1e-5)

    def value(self, x, i):
        """A free objective that still needs the whole point to exist."""
        return 0.01 * np.sin(i) + 0.0 * x[0]

    def iterate(self):
        d, q = self.d, self.q
        grad = np.zeros(d)
        f_0 = self.value(self.x.copy(), 0)
        for i in range(q):
            u = np.random.normal(0, 100, d)
            u = u / np.linalg.norm(u)
            f_tmp = self.value(self.x + MU * u, 1 + i)
            grad = grad + (d / q) * u * (f_tmp - f_0) / MU
        self.m = BETA1 * self.m + (1 - BETA1) * grad
        self.v = BETA2 * self.v + (1 - BETA2) * grad**2
        self.vhat = np.maximum(self.vhat, self.v)
        self.x = np.clip(self.x - ALPHA * self.m / np.sqrt(self.vhat), -BOUND, BOUND)


def main():
    np.random.seed(0)
    print(f"NumPy {np.__version__} | authors", flush=True)
    run = None
    for line in sys.stdin:
        _, d, q, iterations = (int(each) if each.isdigit() else each for each in line.split())
        if run is None or (run.d, run.q) != (d, q):
            run = None
            run = Run(d, q)
        began = time.perf_counter()
        for _ in range(iterations):
            run.iterate()
        print(f"{(time.perf_counter() - began) * 1e3 / iterations:.6f}", flush=True)


main()
