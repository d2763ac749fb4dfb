import type { Solver } from '../../core/types.ts'
import { square, zeroth } from '../../parts.ts'
import type { JsonObject } from '../plain-data.ts'

/** Methods that are several in a row already. */
const sequences = ['auto', 'strongest', 'two-phase']

/** Methods that follow no slope. */
const slopeless = ['square', 'simba', 'sign-hunter']

/**
 * What is tried on images that withstand the method of a spec: random squares after a method that follows slopes, which a
 * model may hide, and slopes after one that does not.
 */
export function secondMethod({ secondMethod: isWanted, solver, problem, universal }: JsonObject): Solver | undefined {
  const { name } = solver as { name: string }
  if (isWanted !== true || universal === true || sequences.includes(name)) return undefined
  if (slopeless.includes(name)) return zeroth()
  const { linf } = problem as { linf?: number }
  return square(linf === undefined ? {} : { radius: linf })
}
