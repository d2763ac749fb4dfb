import type { Begin, Vector } from '../core/types.ts'

/** How the size of a change is measured: by its largest entry, or by its Euclidean length. */
export type Norm = 'linf' | 'l2'

/** The largest change of a variable where neither an option nor an attack says one. */
const usualRadius = { linf: 0.1, l2: 1 }

/** In which norm a change is limited and how far it may go: as the options say, or else as the attack does. */
export function limitOf(
  { attack }: Begin,
  { norm, radius }: { readonly norm?: Norm | undefined; readonly radius?: number | undefined },
): { readonly norm: Norm; readonly radius: number } {
  const meant = norm ?? (radius === undefined && attack?.l2 !== undefined && attack.linf === undefined ? 'l2' : 'linf')
  return { norm: meant, radius: radius ?? attack?.[meant] ?? usualRadius[meant] }
}

/** What a method that wants success and nothing else compares points by: the loss, without the length of the change. */
export function lossOf({ attack }: Begin, origin: Vector): ((value: number, x: Vector) => number) | undefined {
  if (attack?.addsSquares !== true) return undefined
  return (value, x) => {
    let squares = 0
    for (let i = 0; i < x.length; i++) {
      const change = (x[i] as number) - (origin[i] as number)
      squares += change * change
    }
    return value - squares
  }
}
