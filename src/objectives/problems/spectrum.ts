import { option } from '../../core/options.ts'
import { numberFrom } from '../../core/schema.ts'

/** The condition number of a quadratic. */
export const conditionOption = option(numberFrom(1), 'largest curvature divided by the smallest', 1)

/** `count` curvatures from 1 to `condition`, each a fixed multiple of the one before. */
export function geometricSpectrum(count: number, condition: number): Float64Array {
  const ratio = count > 1 ? root(condition, count - 1) : 1
  const curvatures = new Float64Array(count).fill(1)
  for (let i = 1; i < count; i++) curvatures[i] = (curvatures[i - 1] as number) * ratio
  curvatures[count - 1] = condition
  return curvatures
}

/** The n-th root of a number of at least 1, by bisection: built-in powers round differently from engine to engine. */
function root(value: number, n: number): number {
  let low = 1
  let high = value
  for (let halving = 0; halving < 100; halving++) {
    const middle = (low + high) / 2
    let power = 1
    for (let k = 0; k < n && power <= value; k++) power *= middle
    if (power <= value) low = middle
    else high = middle
  }
  return low
}
