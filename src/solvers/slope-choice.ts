import type { Span, Vector } from '../core/types.ts'
import { randomUniform } from '../kernels/random.ts'

/** What is known of the slopes along the vectors of a basis. */
export interface KnownSlopes {
  readonly slopes: Vector
  /** When each was taken, counted in slopes from 1; 0 where it never was. */
  readonly taken: Vector
}

/** Chooses the vectors along which slopes are taken next. */
export type SlopeChoice = (known: KnownSlopes, now: number, count: number) => Uint32Array

/** Slopes of each group that are taken before the groups are compared. */
const samples = 2

/** Slopes that the mean of all counts for in the estimate of a group. */
const doubt = 2

/** What the slopes of groups next to a group, and next but one, count for in its estimate. */
const kinship = [0.25, 0.5, 1, 0.5, 0.25]

/** What a slope that was taken as many slopes ago as there are vectors is worth, compared with an unknown one. */
const refresh = 0.05

/** How much chance there is in the choice between vectors of which the same is expected. */
const chance = 0.2

/** The row of the random numbers: other rows draw coordinates elsewhere. */
const chanceRow = 2

/**
 * Chooses those of which most is expected. Vectors of one group (`Span.group`) are taken to have slopes of about the same
 * size, which those that are known tell: networks differ in the frequencies and colors that move them. A few of each group
 * are tried first. A slope that is known gains with its age, so that steep groups are refreshed more often.
 */
export function slopeChoice(seed: number, span: Span): SlopeChoice {
  const size = span.dim
  const groupOf = Uint32Array.from({ length: size }, (_, i) => span.group?.(i) ?? 0)
  const groups = 1 + groupOf.reduce((most, each) => Math.max(most, each), 0)
  const luck = Float32Array.from({ length: size }, (_, i) =>
    randomUniform({ seed, iteration: 0, row: chanceRow }, 'coordinates', i),
  )
  // Groups tell better what to expect than what is expected of images in general.
  const prospect = span.group === undefined ? span.prospect?.bind(span) : undefined
  const weights = Float32Array.from(luck, (each, i) => (1 + chance * each) * (prospect?.(i) ?? 1))
  const worth = new Float64Array(size)

  return (known, now, count) => {
    const { sizes, counts } = measured(known, groupOf, groups)
    const expected = expectedSquares(sizes, counts)
    const { taken } = known
    for (let i = 0; i < size; i++) {
      const age = (taken[i] as number) === 0 ? 1 : (refresh * (now - (taken[i] as number))) / size
      worth[i] = (expected[groupOf[i] as number] as number) * (weights[i] as number) * age
    }
    const tried = untried({ taken, groupOf, counts, luck }, Math.ceil(count / 2))
    for (const each of tried) worth[each] = -1
    return Uint32Array.from([...tried, ...largest(worth, count - tried.length)])
  }
}

/** Per group, how many slopes are known and the sum of their squares. */
function measured({ slopes, taken }: KnownSlopes, groupOf: Uint32Array, groups: number) {
  const sizes = new Float64Array(groups)
  const counts = new Float64Array(groups)
  for (let i = 0; i < groupOf.length; i++) {
    if (taken[i] === 0) continue
    const group = groupOf[i] as number
    const slope = slopes[i] as number
    sizes[group] = (sizes[group] as number) + slope * slope
    counts[group] = (counts[group] as number) + 1
  }
  return { sizes, counts }
}

/** The square to expect of a slope of each group, from its own and those of groups nearby. */
function expectedSquares(sizes: Float64Array, counts: Float64Array): Float64Array {
  const [all, known] = [sum(sizes), sum(counts)]
  // Where nothing has any slope, all promise the same.
  const usual = all > 0 ? all / known : 1
  return sizes.map((_, group) => {
    let [squares, weight] = [doubt * usual, doubt]
    kinship.forEach((share, j) => {
      const other = group + j - 2
      squares += share * (sizes[other] ?? 0)
      weight += share * (counts[other] ?? 0)
    })
    return squares / weight
  })
}

function sum(numbers: Float64Array): number {
  return numbers.reduce((total, each) => total + each, 0)
}

interface Trials {
  readonly taken: Vector
  readonly groupOf: Uint32Array
  readonly counts: Float64Array
  readonly luck: Float32Array
}

/** A vector of each group of which too few slopes are known, at most so many. */
function untried({ taken, groupOf, counts, luck }: Trials, most: number): number[] {
  if (counts.every((count) => count >= samples)) return []
  const found = new Map<number, number>()
  for (let i = 0; i < groupOf.length; i++) {
    const group = groupOf[i] as number
    if (taken[i] !== 0 || (counts[group] as number) >= samples) continue
    const other = found.get(group)
    if (other === undefined || (luck[i] as number) < (luck[other] as number)) found.set(group, i)
  }
  return [...found.keys()]
    .sort((a, b) => a - b)
    .slice(0, most)
    .map((group) => found.get(group) as number)
}

/** The places of the largest numbers, from the largest down; of equals the first. */
export function largest(worth: Float64Array, count: number): number[] {
  const found: number[] = []
  for (let i = 0; i < worth.length; i++) {
    const value = worth[i] as number
    if (found.length === count && !(value > (worth[found[count - 1] as number] as number))) continue
    let place = Math.min(found.length, count - 1)
    if (place < 0) break
    for (; place > 0 && value > (worth[found[place - 1] as number] as number); place--) {
      found[place] = found[place - 1] as number
    }
    found[place] = i
  }
  return found
}
