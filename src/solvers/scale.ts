import { ZerothError } from '../core/errors.ts'

/** One size for all variables, or one each; undefined where the user does not say. */
export type Scale = number | Float64Array | undefined

/** The scale as a list, of one entry or of one for each variable. */
export function scaleOf(
  owner: string,
  scale: number | Float64Array | undefined,
  dim: number,
): Float64Array | undefined {
  if (scale === undefined) return undefined
  if (typeof scale === 'number') return Float64Array.of(scale)
  if (scale.length === dim) return scale
  throw new ZerothError('invalid-option', `${owner}.scale has ${scale.length} entries, but there are ${dim} variables`)
}
