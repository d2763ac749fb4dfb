"""The PyTorch CPU peer of the kernels benchmark: float32, no temporary vectors, a few ways to order the work.

Tried and left out because they were no faster: torch.compile (its own random numbers are ten times slower, and with
those of eager mode it gains nothing), Box-Muller from uniform_ or exponential_, normal_ from two Python threads.

Speaks lines, as bench/peer.ts wants them: "title | variants" first, then the milliseconds of each request.
"""

import sys
import time

import torch

MU, BETA1, BETA2, ALPHA, BOUND = 0.005, 0.9, 0.3, 0.01, 0.5


class Run:
    """The state of one dimension, and the rows of one iteration: the current point first, then its probes."""

    def __init__(self, d, q):
        self.d, self.q = d, q
        self.x = torch.zeros(d)
        self.m = torch.zeros(d)
        self.v = torch.full((d,), 1e-5)
        self.vhat = torch.full((d,), 1e-5)
        self.root = torch.empty(d)
        self.gradient = torch.empty(d)
        self.rows = torch.empty(q + 1, d)
        self.weights = torch.sin(1.0 + torch.arange(q)) * (0.01 * d / q / MU**2)
        self.weight_sum = float(self.weights.sum())
        self.normals = None

    def in_place(self):
        """Normals are made where the rows will be, and the gradient comes from the rows."""
        rows = self.rows[1:]
        rows.normal_()
        scales = torch.linalg.vector_norm(rows, dim=1, keepdim=True).reciprocal_().mul_(MU)
        torch.addcmul(self.x, rows, scales, out=rows)
        self.gradient_of_rows()

    def row_by_row(self):
        """The same, one row after the other, so that each stays in the cache."""
        for row in self.rows[1:]:
            row.normal_()
            torch.add(self.x, row, alpha=MU / float(torch.linalg.vector_norm(row)), out=row)
        self.gradient_of_rows()

    def normals_kept(self):
        """Normals are kept beside the rows, and the gradient comes from them: one pass less, twice the memory."""
        if self.normals is None:
            self.normals = torch.empty(self.q, self.d)
        self.normals.normal_()
        scales = torch.linalg.vector_norm(self.normals, dim=1, keepdim=True).reciprocal_().mul_(MU)
        torch.addcmul(self.x, self.normals, scales, out=self.rows[1:])
        torch.mv(self.normals.t(), self.weights * scales[:, 0], out=self.gradient)

    def gradient_of_rows(self):
        torch.mv(self.rows[1:].t(), self.weights, out=self.gradient)
        self.gradient.sub_(self.x, alpha=self.weight_sum)

    def iterate(self, make):
        self.rows[0].copy_(self.x)
        make()
        g = self.gradient
        self.m.mul_(BETA1).add_(g, alpha=1 - BETA1)
        self.v.mul_(BETA2).addcmul_(g, g, value=1 - BETA2)
        torch.maximum(self.vhat, self.v, out=self.vhat)
        torch.sqrt(self.vhat, out=self.root)
        self.x.addcdiv_(self.m, self.root, value=-ALPHA).clamp_(-BOUND, BOUND)


def main():
    torch.manual_seed(0)
    torch.set_grad_enabled(False)
    torch.set_flush_denormal(True)
    ways = {"in-place": Run.in_place, "row-by-row": Run.row_by_row, "normals-kept": Run.normals_kept}
    print(f"PyTorch {torch.__version__} |", *(f"{way}/{threads}" for way in ways for threads in (1, 2)), flush=True)
    run = None
    for line in sys.stdin:
        variant, *numbers = line.split()
        d, q, iterations = map(int, numbers)
        way, threads = variant.split("/")
        torch.set_num_threads(int(threads))
        if run is None or (run.d, run.q) != (d, q):
            run = None
            run = Run(d, q)
        make = ways[way].__get__(run)
        began = time.perf_counter()
        for _ in range(iterations):
            run.iterate(make)
        print(f"{(time.perf_counter() - began) * 1e3 / iterations:.6f}", flush=True)


main()
