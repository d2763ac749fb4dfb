import type { Estimator, Vector } from '../../src/index.ts'

/** The gradient itself in place of an estimate: the limit q to infinity, mu to 0 in which the proofs argue. */
export function exactGradient(gradient: (x: Vector) => Float64Array): Estimator {
  return {
    start: ({ dim, seed }) => ({
      rows: 1,
      centers: 1,
      queries: (x, iteration) => ({
        key: { seed, iteration },
        rows: 1,
        dim,
        centers: 1,
        sample: () => 0,
        write: (_, into, offset = 0) => into.set(x, offset),
      }),
      estimate(x, _, __, into) {
        into.set(gradient(x))
        return 1
      },
    }),
  }
}
