import { exponential } from './exponential.ts'

const fround = Math.fround

/** Beyond this, float32 tanh is 1. */
const saturation = fround(7.905311107635498)

// x P(x^2) / Q(x^2), the rational minimax approximation of float32 tanh that Eigen uses, ascending.
const numerator = [
  4.89352455891786e-3, 6.37261928875436e-4, 1.48572235717979e-5, 5.12229709037114e-8, -8.60467152213735e-11,
  2.00018790482477e-13, -2.76076847742355e-16,
].map(fround)
const denominator = [4.89352518554385e-3, 2.268434632439e-3, 1.18534705686654e-4, 1.19825839466702e-6].map(fround)

/** tanh in float32 arithmetic, one rounding per operation; within 5 units in the last place, never beyond +-1. */
export function hyperbolicTangent32(value: number): number {
  if (Number.isNaN(value)) return value
  const x = Math.max(Math.min(value, saturation), -saturation)
  const xx = fround(x * x)
  const p = fround(polynomial32(xx, numerator) * x)
  const quotient = fround(p / polynomial32(xx, denominator))
  return Math.max(Math.min(quotient, 1), -1)
}

function polynomial32(x: number, coefficients: readonly number[]): number {
  let sum = coefficients.at(-1) as number
  for (let i = coefficients.length - 2; i >= 0; i--) sum = fround(fround(sum * x) + (coefficients[i] as number))
  return sum
}

/** tanh in float64 by the method of Cephes: a rational function near 0, the exponential elsewhere. */
export function hyperbolicTangent64(x: number): number {
  if (x === 0) return x
  const size = Math.abs(x)
  if (!(size >= 0.625)) {
    const z = x * x
    const p = (-0.9643991794250523 * z - 99.28772310019185) * z - 1614.6876844170845
    const q = ((z + 112.81167849163293) * z + 2235.4883906010045) * z + 4844.063053251255
    return x + x * z * (p / q)
  }
  const tangent = 1 - 2 / (exponential(2 * size) + 1)
  return x < 0 ? -tangent : tangent
}
