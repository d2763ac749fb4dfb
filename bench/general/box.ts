import { boxEntries } from './box-data.ts'
import { squares } from './more-wild.ts'
import { numpyUniforms } from './numpy-random.ts'
import { type Problem, problem } from './problem.ts'
import { type FamilyName, families } from './residuals.ts'
import { dot, listOf } from './vectors.ts'

/** Problems whose minimiser lies on bounds: least squares, ellipsoids of condition 1e4, and linear functions. */
export function boxed(): Problem[] {
  const fits = Object.keys(boxEntries).map((name) => boxedFit(name))
  return [...fits, ...[5, 10, 20].flatMap((dim) => [boxedEllipsoid(dim), boxedSlope(dim)])]
}

/** Every other variable may go half of its way to the solution only, or a twentieth of its size where it has no way to go. */
function boxedFit(name: string): Problem {
  const [family, dim] = name.split('-') as [FamilyName, string]
  const { solution, best } = boxEntries[name] as (typeof boxEntries)[string]
  const start = Float64Array.from(families[family].start(Number(dim)))
  const lower = new Float64Array(start.length)
  const upper = new Float64Array(start.length)
  start.forEach((x, k) => {
    const gap = (solution[k] as number) - x
    const reach = Math.abs(gap) + 0.5 * Math.max(0.01, Math.abs(x)) + 0.1
    const limited = k % 2 === 0
    const still = Math.abs(gap) < 1e-6
    lower[k] = limited && !still && gap <= 0 ? x + 0.5 * gap : x - reach
    if (limited && still) upper[k] = x + 0.05 * Math.max(1, Math.abs(x))
    else upper[k] = limited && gap > 0 ? x + 0.5 * gap : x + reach
  })
  return problem({
    name: `box-${name}`,
    group: 'box',
    start,
    value: squares(family, start.length),
    best,
    box: { lower, upper },
  })
}

/** Its minimiser is the nearest point of the box to the centre: the function is separable. */
function boxedEllipsoid(dim: number): Problem {
  const center = numpyUniforms([dim], dim, -2, 2)
  const weights = listOf(dim, (i) => 10 ** ((4 * i) / (dim - 1)))
  const value = (x: Float64Array): number => {
    const far = x.map((v, i) => v - (center[i] as number))
    return dot(
      weights,
      far.map((v) => v * v),
    )
  }
  const best = value(center.map((c) => Math.max(-1, Math.min(1, c))))
  return problem({ name: `box-ellipsoid1e4-${dim}`, ...around(dim), value, best })
}

function boxedSlope(dim: number): Problem {
  const slope = numpyUniforms([dim], dim, -2, 2)
  const best = -slope.reduce((total, c) => total + Math.abs(c), 0)
  return problem({ name: `box-linear-${dim}`, ...around(dim), value: (x) => dot(slope, x), best })
}

/** From 0 within [-1, 1]^d. */
function around(dim: number) {
  const upper = new Float64Array(dim).fill(1)
  return { group: 'box', start: new Float64Array(dim), box: { lower: upper.map((v) => -v), upper } }
}
