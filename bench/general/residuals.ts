import { bardData, kowalikData, kowalikPlaces, meyerData, osborne1Data, osborne2Data } from './residual-data.ts'
import { dot, listOf, type Numbers, sum } from './vectors.ts'

/** A least-squares problem: where it is begun, and its residuals at a point. */
export interface Family {
  readonly start: (n: number) => Numbers
  readonly residuals: (n: number) => (x: Numbers) => Numbers
}

type Pair = readonly [number, number]
type Triple = readonly [number, number, number]
type Four = readonly [number, number, number, number]
type Five = readonly [number, number, number, number, number]
type Eight = readonly [...Four, ...Four]
type Eleven = readonly [...Eight, ...Triple]

/** A problem of a fixed number of variables, which its formula calls by name. */
function fixed<Point extends Numbers>(start: Point, residuals: (x: Point) => Numbers): Family {
  return { start: () => start, residuals: () => (x) => residuals(x as Point) }
}

const { atan, cos, exp, log, PI, sin, sqrt } = Math

/**
 * The 22 families of Moré and Wild, "Benchmarking derivative-free optimization algorithms" (SIAM J. Optim. 20, 2009).
 * Their starts differ from those of Moré, Garbow and Hillstrom in Watson's and Osborne's first problem.
 */
export const families = {
  linfull: {
    start: (n) => listOf(n, () => 1),
    residuals: (n) => (x) => {
      const shift = (2 * total(x)) / (5 * n) + 1
      return listOf(5 * n, (i) => (i < n ? (x[i] as number) : 0) - shift)
    },
  },
  linrank1: {
    start: (n) => listOf(n, () => 1),
    residuals: (n) => (x) => {
      const weighted = sum(n, (j) => (j + 1) * (x[j] as number))
      return listOf(5 * n, (i) => (i + 1) * weighted - 1)
    },
  },
  linrank1z: {
    start: (n) => listOf(n, () => 1),
    residuals: (n) => (x) => {
      const weighted = sum(n - 2, (j) => (j + 2) * (x[j + 1] as number))
      return listOf(5 * n, (i) => (i === 5 * n - 1 ? -1 : i * weighted - 1))
    },
  },
  rosenbrock: fixed<Pair>([-1.2, 1], ([a, b]) => [10 * (b - a * a), 1 - a]),
  helical: fixed<Triple>([-1, 0, 0], ([a, b, c]) => [10 * (c - 10 * turn(a, b)), 10 * (sqrt(a * a + b * b) - 1), c]),
  powellsing: fixed<Four>([3, -1, 0, 1], ([a, b, c, d]) => [
    a + 10 * b,
    sqrt(5) * (c - d),
    (b - 2 * c) ** 2,
    sqrt(10) * (a - d) ** 2,
  ]),
  freudroth: fixed<Pair>([0.5, -2], ([a, b]) => [-13 + a + ((5 - b) * b - 2) * b, -29 + a + ((1 + b) * b - 14) * b]),
  bard: fixed<Triple>([1, 1, 1], ([a, b, c]) =>
    bardData.map((y, i) => y - (a + (i + 1) / (b * (15 - i) + c * Math.min(i + 1, 15 - i)))),
  ),
  kowalik: fixed<Four>([0.25, 0.39, 0.415, 0.39], ([a, b, c, d]) =>
    kowalikPlaces.map((v, i) => (kowalikData[i] as number) - (a * (v * (v + b))) / (v * (v + c) + d)),
  ),
  meyer: fixed<Triple>([0.02, 4000, 250], ([a, b, c]) => meyerData.map((y, i) => a * exp(b / (5 * i + 50 + c)) - y)),
  watson: { start: (n) => listOf(n, () => 0.5), residuals: watson },
  box3d: fixed<Triple>([0, 10, 20], ([a, b, c]) =>
    listOf(10, (i) => {
      const t = (i + 1) / 10
      return exp(-t * a) - exp(-t * b) + (exp(-(i + 1)) - exp(-t)) * c
    }),
  ),
  jennrich: fixed<Pair>([0.3, 0.4], ([a, b]) =>
    listOf(10, (i) => 2 + 2 * (i + 1) - exp((i + 1) * a) - exp((i + 1) * b)),
  ),
  browndennis: fixed<Four>([25, 5, -5, -1], ([a, b, c, d]) =>
    listOf(20, (i) => {
      const t = (i + 1) / 5
      return (a + t * b - exp(t)) ** 2 + (c + sin(t) * d - cos(t)) ** 2
    }),
  ),
  chebyquad: { start: (n) => listOf(n, (i) => (i + 1) / (n + 1)), residuals: chebyquad },
  brownal: {
    start: (n) => listOf(n, () => 0.5),
    residuals: (n) => (x) => {
      const shift = total(x) - (n + 1)
      return x.map((v, i) => (i === n - 1 ? x.reduce((a, b) => a * b, 1) - 1 : v + shift))
    },
  },
  osborne1: fixed<Five>([0.5, 1.5, 1, 0.01, 0.02], ([a, b, c, d, e]) =>
    osborne1Data.map((y, i) => y - (a + b * exp(-d * 10 * i) + c * exp(-e * 10 * i))),
  ),
  osborne2: fixed<Eleven>([1.3, 0.65, 0.65, 0.7, 0.6, 3, 5, 7, 2, 4.5, 5.5], ([a, b, c, d, e, f, g, h, p, q, r]) =>
    osborne2Data.map((y, i) => {
      const t = i / 10
      const peaks = b * exp(-f * (t - p) ** 2) + c * exp(-g * (t - q) ** 2) + d * exp(-h * (t - r) ** 2)
      return y - (a * exp(-e * t) + peaks)
    }),
  ),
  bdqrtic: {
    start: (n) => listOf(n, () => 1),
    residuals: (n) => (x) => {
      const squares = x.map((v) => v * v)
      const last = squares[n - 1] as number
      const quartic = listOf(n - 4, (i) => dot([1, 2, 3, 4], squares.slice(i, i + 4)) + 5 * last)
      return [...x.slice(0, n - 4).map((v) => 3 - 4 * v), ...quartic]
    },
  },
  cube: {
    start: (n) => listOf(n, () => 0.5),
    residuals: () => (x) => x.map((v, i) => (i === 0 ? v - 1 : 10 * (v - (x[i - 1] as number) ** 3))),
  },
  mancino: {
    start: (n) => listOf(n, (i) => -8.710996e-4 * ((i - 49) ** 3 + waves(n, i, 0))),
    residuals: (n) => (x) => x.map((v, i) => 1400 * v + (i - 49) ** 3 + waves(n, i, v)),
  },
  heart8: fixed<Eight>([-0.3, -0.39, 0.3, -0.344, -1.2, 2.69, 1.59, -1.5], heart),
} as const satisfies Readonly<Record<string, Family>>

/** The name of a family. */
export type FamilyName = keyof typeof families

function total(x: Numbers): number {
  return sum(x.length, (i) => x[i] as number)
}

/** The angle of (a, b) as a share of a full turn, as the helical valley has it: it jumps at a = 0. */
function turn(a: number, b: number): number {
  if (a === 0) return b === 0 ? 0 : 0.25
  return atan(b / a) / (2 * PI) + (a > 0 ? 0 : 0.5)
}

function watson(n: number): (x: Numbers) => Numbers {
  const powers = listOf(29, (i) => (i + 1) / 29).map((t) => listOf(n, (j) => t ** j))
  const slopes = powers.map((row) => listOf(n, (j) => (j === 0 ? 0 : j * (row[j - 1] as number))))
  return (x) => {
    const [a, b] = x as Pair
    return [...powers.map((row, i) => dot(slopes[i] as Numbers, x) - dot(row, x) ** 2 - 1), a, b - a * a - 1]
  }
}

/** Means of Chebyshev polynomials over the variables, less their integrals over [0, 1]. */
function chebyquad(n: number): (x: Numbers) => Numbers {
  return (x) => {
    let before = x.map(() => 1)
    let now = x.map((v) => 2 * v - 1)
    return listOf(n, (i) => {
      const mean = total(now) / n
      const next = now.map((v, j) => 2 * (2 * (x[j] as number) - 1) * v - (before[j] as number))
      before = now
      now = next
      return i % 2 === 1 ? mean + 1 / ((i + 1) ** 2 - 1) : mean
    })
  }
}

/** Mancino's sum over all j. */
function waves(n: number, i: number, x: number): number {
  return sum(n, (j) => {
    const v = sqrt(x * x + (i + 1) / (j + 1))
    const angle = log(v)
    return v * (sin(angle) ** 5 + cos(angle) ** 5)
  })
}

function heart([a, b, c, d, t, u, v, w]: Eight): Numbers {
  const [tv, uw] = [t * t - v * v, u * u - w * w]
  const [t3, v3] = [t * (t * t - 3 * v * v), v * (v * v - 3 * t * t)]
  const [u3, w3] = [u * (u * u - 3 * w * w), w * (w * w - 3 * u * u)]
  return [
    a + b + 0.69,
    c + d + 0.044,
    t * a + u * b - v * c - w * d + 1.57,
    v * a + w * b + t * c + u * d + 1.31,
    a * tv - 2 * c * t * v + b * uw - 2 * d * u * w + 2.65,
    c * tv + 2 * a * t * v + d * uw + 2 * b * u * w - 2,
    a * t3 + c * v3 + b * u3 + d * w3 + 12.6,
    c * t3 - a * v3 + d * u3 - b * w3 - 9.48,
  ]
}
