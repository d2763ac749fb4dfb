import { logarithm } from '../../kernels/functions.ts'
import { median } from '../../numerics/vectors.ts'
import { unitOf } from './local-model.ts'
import { logarithmOfOnePlus } from './normal.ts'

/** Values as a model sees them, and the logarithm of how much that stretched them, up to a constant. */
export interface Warped {
  readonly values: Float64Array
  readonly stretch: number
}

/** What is far above the median is drawn in, from here on. */
const tail = 5

/** t -> ln(1 + t / c), with t = 1 at the median and 0 at the lowest value; the first leaves all but the upper tail as it is. */
export const warps = [Infinity, 1, 0.1, 0.01, 0.001] as const

/** Draws in the tail of values, the more the smaller c is. */
export function warped(values: Float64Array, warp: number): Warped {
  const lowest = values.reduce((a, b) => Math.min(a, b))
  const unit = unitOf(values, lowest)
  const c = warps[warp] as number
  let stretch = 0
  const made = values.map((value) => {
    const t = (value - lowest) / unit
    if (c < Infinity) {
      stretch -= logarithm(c + t)
      return logarithmOfOnePlus(t / c)
    }
    if (!(t > tail)) return t
    const drawnIn = logarithmOfOnePlus(t - tail)
    stretch -= drawnIn
    return tail + drawnIn
  })
  return { values: made, stretch }
}

/** Constraints as models see them: the sign stays, what is large is drawn in. */
export function warpedConstraint(values: Float64Array): Float64Array {
  const known = values.filter((each) => Number.isFinite(each))
  const unit = known.length === 0 ? 1 : Math.max(median(known.map(Math.abs)), 1e-300)
  return values.map((each) => {
    if (Number.isNaN(each)) return 1
    const size = logarithmOfOnePlus(Math.min(Math.abs(each) / unit, 1e300))
    return each < 0 ? -size : size
  })
}
