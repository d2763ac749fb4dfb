import { type Check, equals, observed, remarked, show, type Verdict } from './verdict.ts'

/** Where a row is read: variables, iterations, samples and directions. */
interface Place {
  readonly d: number
  readonly T: number
  readonly b: number
  readonly q: number
}

/** A row of Table 1 as printed, with what our checks and runs add to it. */
export interface RateRow {
  readonly method: string
  readonly assumptions: string
  readonly estimator: string
  readonly smoothing: string
  readonly rate: string
  readonly queries: string
  readonly note?: string
  /** What is printed, as functions. */
  readonly at: {
    readonly rate: (place: Place) => number
    readonly smoothing?: (place: Place) => number
    readonly queries?: (place: Place) => number
  }
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
    at: {
      rate: ({ d, T }) => Math.sqrt(d / T) + d / T,
      smoothing: ({ d, T }) => 1 / (d * Math.sqrt(T)),
      queries: ({ T }) => T,
    },
  },
  {
    method: 'ZO-SCD',
    assumptions: 'NC, UCons, A1, A3',
    estimator: 'CooGE',
    smoothing: '1 / sqrt T + 1 / sqrt d',
    rate: 'sqrt d / sqrt T + d / T',
    queries: 'd T',
    note: 'All d coordinates in each iteration; the experiments draw q of them and ask 2q queries, not q + 1.',
    at: {
      rate: ({ d, T }) => Math.sqrt(d / T) + d / T,
      smoothing: ({ d, T }) => 1 / Math.sqrt(T) + 1 / Math.sqrt(d),
      queries: ({ d, T }) => d * T,
    },
  },
  {
    method: 'ZO-signSGD',
    assumptions: 'NC, UCons, A1, A3',
    estimator: 'sign-UniGE',
    smoothing: '1 / sqrt(dT)',
    rate: 'sqrt d / sqrt T + sqrt d / sqrt b + d / sqrt(bq)',
    queries: 'b q T',
    note: 'A rate of E||grad f||, not of its square: not comparable with the other rows as it stands.',
    at: {
      rate: ({ d, T, b, q }) => Math.sqrt(d / T) + Math.sqrt(d / b) + d / Math.sqrt(b * q),
      smoothing: ({ d, T }) => 1 / Math.sqrt(d * T),
      queries: ({ b, q, T }) => b * q * T,
    },
  },
  {
    method: 'ZO-ProxSGD / ZO-PSGD',
    assumptions: 'NC, Cons, A1, A3',
    estimator: 'GauGE',
    smoothing: '1 / sqrt(dT)',
    rate: 'd^2 / (qT) + d / q',
    queries: 'q T',
    at: {
      rate: ({ d, T, q }) => (d * d) / (q * T) + d / q,
      smoothing: ({ d, T }) => 1 / Math.sqrt(d * T),
      queries: ({ q, T }) => q * T,
    },
  },
  {
    method: 'ZO-SMD',
    assumptions: 'C, Cons, A3',
    estimator: 'GauGE / UniGE',
    smoothing: '1 / (d t)',
    rate: 'sqrt d / sqrt T',
    queries: 'T',
    note: 'With psi = ||x||^2, as in the reference code, it is ZO-PSGD with half the learning rate (mirror-descent).',
    at: {
      rate: ({ d, T }) => Math.sqrt(d / T),
      smoothing: ({ d, T }) => 1 / (d * T),
      queries: ({ T }) => T,
    },
  },
  {
    method: 'AdaMM',
    assumptions: 'NC, UCons, A1, A2',
    estimator: 'SGE',
    smoothing: 'n/a',
    rate: 'sqrt d / sqrt T + d / T',
    queries: 'n/a',
    at: {
      rate: ({ d, T }) => Math.sqrt(d / T) + d / T,
    },
  },
  {
    method: 'AdaMM',
    assumptions: 'C, Cons, A2',
    estimator: 'SGE',
    smoothing: 'n/a',
    rate: 'd / sqrt T',
    queries: 'n/a',
    at: {
      rate: ({ d, T }) => d / Math.sqrt(T),
    },
  },
  {
    method: 'ZO-AdaMM',
    assumptions: 'NC, UCons, A1, A3',
    estimator: 'UniGE',
    smoothing: '1 / sqrt(dT)',
    rate: 'd / sqrt T + d^2 / T',
    queries: 'T',
    note: 'Of E||grad f||^2; Theorem 1 proves sqrt d / sqrt T + d^1.5 / T for the measure (9). Exponent -1/2 of T found (prop-2).',
    at: {
      rate: ({ d, T }) => d / Math.sqrt(T) + (d * d) / T,
      smoothing: ({ d, T }) => 1 / Math.sqrt(d * T),
      queries: ({ T }) => T,
    },
  },
  {
    method: 'ZO-AdaMM',
    assumptions: 'NC, Cons, A1, A3, beta1 = 0',
    estimator: 'UniGE',
    smoothing: '1 / sqrt(dT)',
    rate: 'd / T + 1 / b + d / q',
    queries: 'b q T',
    note: 'Under A2, as the theorem is stated, d / b + d^2 / q. The plateau is real, and falls as 1 / q (thm-2, lemma-1).',
    at: {
      rate: ({ d, T, b, q }) => d / T + 1 / b + d / q,
      smoothing: ({ d, T }) => 1 / Math.sqrt(d * T),
      queries: ({ b, q, T }) => b * q * T,
    },
  },
  {
    method: 'ZO-AdaMM',
    assumptions: 'C, Cons, A3',
    estimator: 'UniGE',
    smoothing: 'd / sqrt T',
    rate: 'd^1.5 / sqrt T',
    queries: 'T',
    note: 'Of the average regret. Exponent about -1/2 of T found (prop-4).',
    at: {
      rate: ({ d, T }) => (d * Math.sqrt(d)) / Math.sqrt(T),
      smoothing: ({ d, T }) => d / Math.sqrt(T),
      queries: ({ T }) => T,
    },
  },
]

/** The comparisons that the text draws from Table 1, read off its rows. */
export const rateComparisons: Check = {
  id: 'table-1',
  statement: 'Table 1: what the text says of ZO-AdaMM beside the others, read off the rows as printed.',
  run: () => rateComparisonVerdicts(table1),
}

/** The verdicts on the given rows. */
export function rateComparisonVerdicts(rows: readonly RateRow[]): Verdict[] {
  const row = (method: string, assumptions: string): RateRow['at'] => {
    const found = rows.find((each) => each.method === method && each.assumptions.startsWith(assumptions))
    if (found === undefined) throw new Error(`Table 1 has no row ${method}, ${assumptions}`)
    return found.at
  }
  const [free, held, convex] = ['NC, UCons', 'NC, Cons', 'C, Cons'].map((where) => row('ZO-AdaMM', where)) as [
    Row,
    Row,
    Row,
  ]
  const [sgd, scd, signs] = ['ZO-SGD', 'ZO-SCD', 'ZO-signSGD'].map((method) => row(method, 'NC')) as [Row, Row, Row]
  const [projected, mirror] = [row('ZO-ProxSGD / ZO-PSGD', 'NC'), row('ZO-SMD', 'C')]
  const [adamm, adammConvex] = [row('AdaMM', 'NC'), row('AdaMM', 'C')]
  return [
    equals(
      'unconstrained: exponent of d in ZO-AdaMM / ZO-SGD, T to infinity',
      0.5,
      exponent(free.rate, sgd.rate, late),
      1e-6,
    ),
    equals('the same beside ZO-SCD', 0.5, exponent(free.rate, scd.rate, late), 1e-6),
    remarked(
      equals(
        'the same beside the part of ZO-signSGD that falls with T',
        0.5,
        exponent(free.rate, signs.rate, { ...late, b: vast, q: vast }),
        1e-6,
      ),
      'The row of ZO-signSGD is of the length of the gradient, the others are of its square.',
    ),
    equals(
      'mu of ZO-AdaMM / of ZO-SGD: exponent of d, "milder"',
      0.5,
      exponent(free.smoothing, sgd.smoothing, late),
      1e-6,
    ),
    equals('queries of ZO-SCD / of ZO-AdaMM: exponent of d', 1, exponent(scd.queries, free.queries, late), 1e-6),
    observed('T to infinity, b = q = 16: ZO-AdaMM, ZO-signSGD', '0, > 0: no T-independent bias', {
      measured: `${show(free.rate(late))}, ${show(signs.rate(late))}`,
      passed: free.rate(late) < 1e-9 && signs.rate(late) > 1,
    }),
    equals(
      'constrained nonconvex: ZO-AdaMM / ZO-ProxSGD, T and b to infinity',
      1,
      held.rate({ ...late, b: vast }) / projected.rate({ ...late, b: vast }),
      1e-6,
    ),
    equals(
      'constrained convex: exponent of d in ZO-AdaMM / ZO-SMD, "O(d) worse"',
      1,
      exponent(convex.rate, mirror.rate, late),
      1e-6,
    ),
    equals('the same for mu, "significantly improved"', 2, exponent(convex.smoothing, mirror.smoothing, late), 1e-6),
    equals('slowdown beside AdaMM: exponent of d, 1 / sqrt(T)', 0.5, exponent(free.rate, adamm.rate, late), 1e-6),
    equals('slowdown beside AdaMM: exponent of d, 1 / T', 1, exponent(free.rate, adamm.rate, early), 1e-6),
    equals('slowdown beside AdaMM, convex: exponent of d', 0.5, exponent(convex.rate, adammConvex.rate, late), 1e-6),
  ]
}

type Row = RateRow['at']

/** Where the term in 1 / sqrt(T) is all that counts, where that in 1 / T is, and where neither is left. */
const vast = 1e40
const late: Place = { d: 1e3, T: vast, b: 16, q: 16 }
const early: Place = { d: 1e20, T: 1, b: 16, q: 16 }

/** The exponent of d in a quotient, at a place. */
function exponent(above: Row['smoothing'], below: Row['smoothing'], place: Place): number {
  const ratio = (d: number): number =>
    (above?.({ ...place, d }) ?? Number.NaN) / (below?.({ ...place, d }) ?? Number.NaN)
  return Math.log10(ratio(10 * place.d) / ratio(place.d))
}
