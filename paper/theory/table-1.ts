/** A row of Table 1 as printed, with what our checks and runs add to it. */
export interface RateRow {
  readonly method: string
  readonly assumptions: string
  readonly estimator: string
  readonly smoothing: string
  readonly rate: string
  readonly queries: string
  readonly note?: string
}

/**
 * Table 1: convergence rates and query complexity after T iterations. NC nonconvex, C convex, Cons constrained, UCons
 * unconstrained; GauGE, UniGE, CooGE and SGE are Gaussian, uniform, coordinate-wise and stochastic first-order estimates.
 */
export const table1: readonly RateRow[] = [
  {
    method: 'ZO-SGD',
    assumptions: 'NC, UCons, A1, A3',
    estimator: 'GauGE',
    smoothing: '1 / (d sqrt T)',
    rate: 'sqrt d / sqrt T + d / T',
    queries: 'T',
  },
  {
    method: 'ZO-SCD',
    assumptions: 'NC, UCons, A1, A3',
    estimator: 'CooGE',
    smoothing: '1 / sqrt T + 1 / sqrt d',
    rate: 'sqrt d / sqrt T + d / T',
    queries: 'd T',
    note: 'All d coordinates in each iteration; the experiments draw q of them and ask 2q queries, not q + 1.',
  },
  {
    method: 'ZO-signSGD',
    assumptions: 'NC, UCons, A1, A3',
    estimator: 'sign-UniGE',
    smoothing: '1 / sqrt(dT)',
    rate: 'sqrt d / sqrt T + sqrt d / sqrt b + d / sqrt(bq)',
    queries: 'b q T',
    note: 'A rate of E||grad f||, not of its square: not comparable with the other rows as it stands.',
  },
  {
    method: 'ZO-ProxSGD / ZO-PSGD',
    assumptions: 'NC, Cons, A1, A3',
    estimator: 'GauGE',
    smoothing: '1 / sqrt(dT)',
    rate: 'd^2 / (qT) + d / q',
    queries: 'q T',
  },
  {
    method: 'ZO-SMD',
    assumptions: 'C, Cons, A3',
    estimator: 'GauGE / UniGE',
    smoothing: '1 / (d t)',
    rate: 'sqrt d / sqrt T',
    queries: 'T',
    note: 'With psi = ||x||^2, as in the reference code, it is ZO-PSGD with half the learning rate (mirror-descent).',
  },
  {
    method: 'AdaMM',
    assumptions: 'NC, UCons, A1, A2',
    estimator: 'SGE',
    smoothing: 'n/a',
    rate: 'sqrt d / sqrt T + d / T',
    queries: 'n/a',
  },
  {
    method: 'AdaMM',
    assumptions: 'C, Cons, A2',
    estimator: 'SGE',
    smoothing: 'n/a',
    rate: 'd / sqrt T',
    queries: 'n/a',
  },
  {
    method: 'ZO-AdaMM',
    assumptions: 'NC, UCons, A1, A3',
    estimator: 'UniGE',
    smoothing: '1 / sqrt(dT)',
    rate: 'd / sqrt T + d^2 / T',
    queries: 'T',
    note: 'Of E||grad f||^2; Theorem 1 proves sqrt d / sqrt T + d^1.5 / T for the measure (9). Exponent -1/2 of T found (prop-2).',
  },
  {
    method: 'ZO-AdaMM',
    assumptions: 'NC, Cons, A1, A3, beta1 = 0',
    estimator: 'UniGE',
    smoothing: '1 / sqrt(dT)',
    rate: 'd / T + 1 / b + d / q',
    queries: 'b q T',
    note: 'Under A2, as the theorem is stated, d / b + d^2 / q. The plateau is real, and falls as 1 / q (thm-2, lemma-1).',
  },
  {
    method: 'ZO-AdaMM',
    assumptions: 'C, Cons, A3',
    estimator: 'UniGE',
    smoothing: 'd / sqrt T',
    rate: 'd^1.5 / sqrt T',
    queries: 'T',
    note: 'Of the average regret. Exponent about -1/2 of T found (prop-4).',
  },
]
