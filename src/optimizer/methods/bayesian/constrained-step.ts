import { randomUniform } from '../../kernels/random.ts'
import { boxMinimum } from '../../numerics/box-minimum.ts'
import type { LocalModel } from './local-model.ts'

/** Rounds of multipliers, and the weight of what is violated: in the first round, and how it grows. */
const rounds = 8
const firstWeight = 10
const growth = 2
/** How far inside what is allowed a step aims: deviations of the model of each constraint, and a share of its unit. */
const caution = { deviations: 0.3, share: 1e-6 }
const randomStarts = 20
const evaluations = 30

/**
 * Where a model is lowest within a region such that the models of all constraints say they hold: augmented Lagrangian (Powell and
 * Hestenes, 1969). Where they say that nothing is allowed, about where least is violated.
 */
export function constrainedStep(
  objective: LocalModel,
  constraints: readonly LocalModel[],
  bounds: { readonly lower: Float64Array; readonly upper: Float64Array },
  at: { seed: number; iteration: number; row: number },
): Float64Array {
  const { lower, upper } = bounds
  const multipliers = new Float64Array(constraints.length)
  const room = new Float64Array(lower.length)
  let weight = firstWeight
  const excess = (each: LocalModel, z: Float64Array, slopes?: Float64Array): number =>
    each.level(z, -caution.deviations, slopes) + caution.share
  const lagrangian = (z: Float64Array, slopes: Float64Array): number => {
    let all = objective.level(z, 0, slopes)
    constraints.forEach((each, j) => {
      const pressure = (multipliers[j] as number) + weight * excess(each, z, room)
      if (!(pressure > 0)) return
      all += (pressure * pressure) / (2 * weight)
      for (let i = 0; i < room.length; i++) slopes[i] = (slopes[i] as number) + pressure * (room[i] as number)
    })
    return all
  }
  let z: Float64Array = lower.map((low, i) => Math.min(Math.max(0, low), upper[i] as number))
  const slopes = new Float64Array(lower.length)
  let value = lagrangian(z, slopes)
  for (let k = 0; k < randomStarts; k++) {
    const other = lower.map((low, i) => {
      const share = randomUniform(at, 'coordinates', k * lower.length + i)
      return low + share * ((upper[i] as number) - low)
    })
    const found = lagrangian(other, slopes)
    if (!(found < value)) continue
    value = found
    z = other
  }
  for (let round = 0; round < rounds; round++) {
    z = boxMinimum(lagrangian, z, bounds, { evaluations }).point
    constraints.forEach((each, j) => {
      multipliers[j] = Math.max(0, (multipliers[j] as number) + weight * excess(each, z))
    })
    weight *= growth
  }
  return z
}
