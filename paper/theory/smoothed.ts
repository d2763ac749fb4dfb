import type { TestProblem } from '../../src/index.ts'

/** f_mu(x), the mean of f over the ball of radius mu around x, eq. (2), and its gradient. */
export interface Smoothed {
  readonly value: number
  readonly gradient: Float64Array
}

type Vector = Float64Array

/** A function with its gradient. */
type Smooth = Pick<TestProblem, 'value' | 'gradient'>

/**
 * The smoothed function of a problem, exact up to rounding: of sums of functions of one coordinate each and of quadratics,
 * whose mean over the ball is that along the axes, and of regressions, whose terms vary along one line each.
 */
export function smoothedOf({ dim, value, gradient, terms }: TestProblem, x: Vector, radius: number): Smoothed {
  if (terms !== undefined) {
    const each = Array.from({ length: terms.count }, (_, j) => smoothedTerm({ dim, terms }, x, j, radius))
    const mean = (of: (term: Smoothed) => number): number => each.reduce((sum, term) => sum + of(term), 0) / each.length
    return { value: mean((term) => term.value), gradient: x.map((_, i) => mean((term) => term.gradient[i] as number)) }
  }
  const average = ballAverage(dim)
  const at = value(x)
  const moved = (i: number, by: number): Vector => x.map((each, k) => (k === i ? each + by : each))
  const gains = Array.from(x, (_, i) => average((s) => value(moved(i, s)) - at, 0, radius))
  return {
    value: gains.reduce((sum, gain) => sum + gain, at),
    gradient: x.map((_, i) => average((s) => gradient(moved(i, s))[i] as number, 0, radius)),
  }
}

/** The same for one term of a regression: a loss along a line, and a ridge. */
export function smoothedTerm(
  { dim, terms }: Pick<TestProblem, 'dim' | 'terms'>,
  x: Vector,
  j: number,
  radius: number,
): Smoothed {
  if (terms === undefined) return { value: Number.NaN, gradient: x }
  const term: Smooth = {
    value: (at) => terms.value(at as Vector, j),
    gradient: (at) => terms.gradient(at as Vector, j),
  }
  const average = ballAverage(dim)
  // At 0 the ridge has no slope.
  const line = unit(term.gradient(new Float64Array(dim)))
  const along = (s: number): Vector => x.map((each, i) => each + s * (line[i] as number))
  // E||u||^2 - E u_1^2 = (d - 1) / (d + 2) in the ball.
  const across = (ridgeOf(term, line) / 2) * radius * radius * ((dim - 1) / (dim + 2))
  return {
    value: average((s) => term.value(along(s)), 0, radius) + across,
    gradient: x.map((_, i) => average((s) => term.gradient(along(s))[i] as number, 0, radius)),
  }
}

/** The curvature of a term across its line, where there is nothing but the ridge. */
function ridgeOf({ gradient }: Smooth, line: Vector): number {
  const least = line.reduce((best, each, i) => (Math.abs(each) < Math.abs(line[best] as number) ? i : best), 0)
  const side = unit(line.map((each, i) => (i === least ? 1 : 0) - (line[least] as number) * each))
  const zero = gradient(new Float64Array(line.length))
  return gradient(side).reduce((sum, each, i) => sum + (each - (zero[i] as number)) * (side[i] as number), 0)
}

function unit(x: Vector): Vector {
  const length = Math.sqrt(x.reduce((sum, each) => sum + each * each, 0))
  return x.map((each) => each / length)
}

/** The mean of phi(center + radius u_1) over u in the unit ball. */
type BallAverage = (phi: (t: number) => number, center: number, radius: number) => number

const averages = new Map<number, BallAverage>()

/** Enough for 14 digits of smooth functions over radii up to about 2. */
const nodesAtLeast = 40

/**
 * Averages over the ball of R^dim of functions of one coordinate. By symmetry the average of phi(a'u) is that of
 * phi(||a|| u_1), so this smooths sums of functions of straight lines (eq. (2)) without any random numbers.
 *
 * The density of u_1 is proportional to (1 - s^2)^((dim - 1) / 2); with s = cos(theta) the integrand
 * phi(cos theta) sin^dim(theta) is analytic, and the Gauss-Legendre rule in theta converges geometrically.
 */
export function ballAverage(dim: number): BallAverage {
  const known = averages.get(dim)
  if (known !== undefined) return known
  // sin^dim oscillates as fast as a polynomial of degree dim, of which every node takes care of two.
  const rule = gaussLegendre(nodesAtLeast + dim)
  const points = rule.map(({ node, weight }) => {
    const theta = (Math.PI / 2) * (1 + node)
    return { at: Math.cos(theta), weight: weight * wholePower(Math.sin(theta), dim) }
  })
  const total = points.reduce((sum, { weight }) => sum + weight, 0)
  const average: BallAverage = (phi, center, radius) => {
    let sum = 0
    for (const { at, weight } of points) sum += weight * phi(center + radius * at)
    return sum / total
  }
  averages.set(dim, average)
  return average
}

/** Nodes and weights on [-1, 1], by Newton's method on the Legendre polynomial. */
function gaussLegendre(count: number): { node: number; weight: number }[] {
  return Array.from({ length: count }, (_, k) => {
    let node = Math.cos((Math.PI * (k + 0.75)) / (count + 0.5))
    let slope = 1
    for (let round = 0; round < 8; round++) {
      const { value, previous } = legendre(count, node)
      slope = (count * (node * value - previous)) / (node * node - 1)
      node -= value / slope
    }
    return { node, weight: 2 / ((1 - node * node) * slope * slope) }
  })
}

/** P_n(x) and P_{n-1}(x) by their three-term recurrence. */
function legendre(n: number, x: number): { value: number; previous: number } {
  let previous = 1
  let value = x
  for (let k = 2; k <= n; k++) {
    const next = ((2 * k - 1) * x * value - (k - 1) * previous) / k
    previous = value
    value = next
  }
  return { value, previous }
}

/** x^n by squaring. */
function wholePower(x: number, n: number): number {
  if (n === 0) return 1
  const half = wholePower(x, Math.floor(n / 2))
  return n % 2 === 0 ? half * half : half * half * x
}
