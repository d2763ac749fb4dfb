import { exponential, logarithm } from '../../kernels/functions.ts'

/** What the acquisition needs of the normal distribution, in plain arithmetic, so that every engine gets the same bits. */

const halfLogTwoPi = 0.9189385332046727
const rootHalf = 0.7071067811865476

/** ln(1 + x), without loss for small x (Kahan). */
export function logarithmOfOnePlus(x: number): number {
  const u = 1 + x
  if (u === 1) return x
  return u === Infinity ? u : (logarithm(u) * x) / (u - 1)
}

/** The density at z. */
function density(z: number): number {
  return exponential(-0.5 * z * z - halfLogTwoPi)
}

/**
 * e^(x^2) erfc(x) for x >= 0: the Chebyshev expansion of Schonfelder (1978) in (x - 3.75) / (x + 3.75) would need a table; a
 * continued fraction above 2 and the series of erf below are as exact, and as short as can be.
 */
export function scaledComplement(x: number): number {
  if (x < 2) return exponential(x * x) * (1 - errorFunction(x))
  // Lentz's fraction backwards: x + (1/2)/(x + 1/(x + (3/2)/(x + ...))).
  let fraction = x
  for (let k = 60; k > 0; k--) fraction = x + (0.5 * k) / fraction
  return 0.5641895835477563 / fraction
}

/** erf(x) for 0 <= x < 2: the series 2/sqrt(pi) e^(-x^2) sum 2^n x^(2n+1) / (1 3 ... (2n+1)), all terms positive. */
function errorFunction(x: number): number {
  let term = x
  let sum = x
  for (let n = 1; n < 60 && term > 1e-17 * sum; n++) {
    term *= (2 * x * x) / (2 * n + 1)
    sum += term
  }
  return 1.1283791670955126 * exponential(-x * x) * sum
}

/** Phi(z), the probability of a normal number below z. */
export function probabilityBelow(z: number): number {
  const tail = 0.5 * exponential(-0.5 * z * z) * scaledComplement(Math.abs(z) * rootHalf)
  return z < 0 ? tail : 1 - tail
}

/** ln Phi(z), far down the tail, too. */
export function logProbabilityBelow(z: number): number {
  if (z > -1) return logarithm(probabilityBelow(z))
  return -0.5 * z * z + logarithm(0.5 * scaledComplement(-z * rootHalf))
}

/** ln(phi(z) + z Phi(z)): the expected gain in units of the deviation, far down the tail, too (Ament et al., 2023). */
export function logExpectedGain(z: number): number {
  if (z > -1) return logarithm(density(z) + z * probabilityBelow(z))
  const t = -z
  // 1 - t Phi(-t) / phi(t), which is 1 / t^2 where the difference would be nothing but rounding.
  const share = t > 1e4 ? 1 / (t * t) : Math.max(1 - 1.2533141373155003 * t * scaledComplement(t * rootHalf), 1e-300)
  return -0.5 * t * t - halfLogTwoPi + logarithm(share)
}

/** The slope of `logExpectedGain`, where that is its value: Phi(z) / (phi(z) + z Phi(z)). */
export function slopeOfGain(z: number, logGain: number): number {
  return exponential(Math.min(logProbabilityBelow(z) - logGain, 50))
}

/** The slope of `logProbabilityBelow`: phi(z) / Phi(z). */
export function slopeOfProbability(z: number): number {
  if (z < -1) return 0.7978845608028654 / scaledComplement(-z * rootHalf)
  return density(z) / probabilityBelow(z)
}
