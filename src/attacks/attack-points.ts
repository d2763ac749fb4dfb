import type { AttackPoint } from './records.ts'

const fields = ['iteration', 'queries', 'l2sq', 'l2', 'linf', 'margin', 'predicted'] as const

/** Numbers of a point: whether there is one, its fields, and whether it fools the model. */
const width = fields.length + 2

/** Points of an attack, one per image, as numbers. */
export function numbersOf(points: readonly (AttackPoint | null)[]): Float64Array {
  const numbers = points.map((point) =>
    point === null
      ? new Array<number>(width).fill(0)
      : [1, ...fields.map((field) => point[field]), point.fooled ? 1 : 0],
  )
  return Float64Array.from(numbers.flat())
}

/** Reads what `numbersOf` wrote. */
export function pointsFrom(numbers: ArrayLike<number>): (AttackPoint | null)[] {
  return Array.from({ length: numbers.length / width }, (_, i) => {
    const [isThere, ...rest] = Array.from({ length: width }, (_, j) => numbers[i * width + j] as number)
    if (isThere !== 1) return null
    const entries = fields.map((field, j) => [field, rest[j]])
    return { ...Object.fromEntries(entries), fooled: rest.at(-1) === 1 } as AttackPoint
  })
}
