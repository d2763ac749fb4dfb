import type { Batch } from './staged-search.ts'

/** A point on trial: the sum of the answers about it, and how many there were. */
interface Entrant {
  readonly point: Float64Array
  sum: number
  count: number
}

/**
 * The point with the lowest mean of answers, by about so many queries, never more: each round asks all points that are left
 * equally often, as one batch, and keeps the better half (sequential halving: Karnin, Koren and Somekh, 2013). Null where
 * no query was answered.
 */
export function* lowestOf(
  points: readonly Float64Array[],
  queries: number,
): Generator<Batch, Float64Array | null, Float64Array> {
  let field: Entrant[] = points.map((point) => ({ point, sum: 0, count: 0 }))
  let left = queries
  for (let rounds = roundsOf(field.length); rounds > 0; rounds--) {
    const times = Math.floor(left / (field.length * rounds))
    if (times > 0) yield* askAll(field, times)
    left -= times * field.length
    field.sort((a, b) => meanOf(a) - meanOf(b))
    field = field.slice(0, Math.ceil(field.length / 2))
  }
  const best = field[0]
  return best === undefined || best.count === 0 ? null : best.point
}

function* askAll(field: readonly Entrant[], times: number): Generator<Batch, void, Float64Array> {
  const entrant = (row: number): Entrant => field[row % field.length] as Entrant
  const values = yield {
    rows: times * field.length,
    write: (row, into, offset) => into.set(entrant(row).point, offset),
  }
  values.forEach((value, row) => {
    if (Number.isNaN(value)) return
    entrant(row).sum += value
    entrant(row).count++
  })
}

/** How often a field is halved until one is left; a field of one is asked, too. */
function roundsOf(count: number): number {
  let rounds = Math.min(count, 1)
  for (let left = count; left > 2; left = Math.ceil(left / 2)) rounds++
  return rounds
}

function meanOf({ sum, count }: Entrant): number {
  return count === 0 ? Infinity : sum / count
}
