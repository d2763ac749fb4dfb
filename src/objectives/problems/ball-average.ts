/** The mean of phi(center + radius u_1) over u in the unit ball. */
export type BallAverage = (phi: (t: number) => number, center: number, radius: number) => number

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
  // sin^dim oscillates as fast as a polynomial of degree dim, of which every node takes care of two.
  const rule = gaussLegendre(nodesAtLeast + dim)
  const points = rule.map(({ node, weight }) => {
    const theta = (Math.PI / 2) * (1 + node)
    return { at: Math.cos(theta), weight: weight * wholePower(Math.sin(theta), dim) }
  })
  const total = points.reduce((sum, { weight }) => sum + weight, 0)
  return (phi, center, radius) => {
    let sum = 0
    for (const { at, weight } of points) sum += weight * phi(center + radius * at)
    return sum / total
  }
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
