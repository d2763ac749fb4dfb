// The distributions that statistics are compared with, in plain arithmetic and to about 1e-12.

const density0 = 0.3989422804014327

/** P(Z > x) for a standard normal Z: a power series near 0 (Marsaglia 2004), Mills' continued fraction in the tail. */
export function normalUpper(x: number): number {
  if (x < 0) return 1 - normalUpper(-x)
  const density = density0 * Math.exp(-0.5 * x * x)
  if (x < 3) {
    let sum = x
    let term = x
    for (let i = 3; term > 1e-17 * sum; i += 2) {
      term *= (x * x) / i
      sum += term
    }
    return 0.5 - density * sum
  }
  let fraction = x
  for (let i = 120; i > 0; i--) fraction = x + i / fraction
  return density / fraction
}

/** The complementary error function. */
export function erfc(x: number): number {
  return 2 * normalUpper(Math.SQRT2 * x)
}

/** The x with P(Z > x) = p, by bisection. */
export function normalUpperQuantile(p: number): number {
  let [low, high] = [-40, 40]
  while (high - low > 1e-13 * Math.max(1, Math.abs(low))) {
    const middle = (low + high) / 2
    if (normalUpper(middle) > p) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** P(X > x) for chi-square with a whole number of degrees of freedom: the finite sum for Q(dof / 2, x / 2). */
export function chiSquareUpper(x: number, dof: number): number {
  const y = x / 2
  if (y <= 0) return 1
  const odd = dof % 2 === 1
  let a = odd ? 0.5 : 0
  let logTerm = a * Math.log(y) - y - (odd ? Math.log(Math.sqrt(Math.PI) / 2) : 0)
  let sum = odd ? erfc(Math.sqrt(y)) : 0
  for (; a < dof / 2 - 0.25; a++) {
    sum += Math.exp(logTerm)
    logTerm += Math.log(y / (a + 1))
  }
  return Math.min(1, sum)
}

/** P(X <= count) for a Poisson variable. */
export function poissonLower(count: number, mean: number): number {
  return count < 0 ? 0 : chiSquareUpper(2 * mean, 2 * count + 2)
}

/** P(D_n > distance) of Kolmogorov and Smirnov, with Stephens's correction for finite n. */
export function kolmogorovUpper(distance: number, n: number): number {
  const t = (Math.sqrt(n) + 0.12 + 0.11 / Math.sqrt(n)) * distance
  let sum = 0
  if (t < 1) {
    for (let k = 1; k < 40; k += 2) sum += Math.exp((-k * k * Math.PI * Math.PI) / (8 * t * t))
    return 1 - (Math.sqrt(2 * Math.PI) / t) * sum
  }
  for (let k = 1; k < 40; k++) sum += (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * k * k * t * t)
  return sum
}

/**
 * P(u_1 <= x) for u uniform on the unit sphere in d > 1 dimensions, that is, u_1^2 ~ Beta(1/2, (d - 1)/2):
 * with x = sin phi it is an integral of cos^(d-2), which has a recursion.
 */
export function sphereCoordinateLower(x: number, dim: number): number {
  const phi = Math.asin(x)
  const cos = Math.cos(phi)
  const even = dim % 2 === 0
  let integral = even ? phi : x
  let whole = even ? Math.PI / 2 : 1
  for (let n = even ? 2 : 3; n <= dim - 2; n += 2) {
    integral = (cos ** (n - 1) * x + (n - 1) * integral) / n
    whole *= (n - 1) / n
  }
  return 0.5 + integral / (2 * whole)
}
