import type { Batch } from '../staged/staged-search.ts'

/** Asks whether the point at a place succeeds. */
type Succeeds = (place: number) => Generator<Batch, boolean, Float64Array>

/** Where a border was found on the way from the origin, as shares of that way. */
interface Location {
  /** The nearest point that succeeds. */
  readonly nearest: number
  /** Half-way to the furthest point that does not. */
  readonly between: number
}

/** Halves the way between a place that does not succeed and one that does. */
export function* bisected(
  from: number,
  to: number,
  tolerance: number,
  succeeds: Succeeds,
): Generator<Batch, Location, Float64Array> {
  let [low, high] = [from, to]
  while (high - low > tolerance) {
    const middle = (low + high) / 2
    if (yield* succeeds(middle)) high = middle
    else low = middle
  }
  return { nearest: high, between: (low + high) / 2 }
}

/** The same where the border is probably near the end of the way, which succeeds. */
export function* located(tolerance: number, succeeds: Succeeds): Generator<Batch, Location, Float64Array> {
  let [low, high] = [1 - 4 * tolerance, 1]
  while (low > 0 && (yield* succeeds(low))) {
    high = low
    low -= 8 * tolerance
  }
  return yield* bisected(Math.max(low, 0), high, tolerance, succeeds)
}

/**
 * Tries turns, as tangents of angles, from `first` on and at most `widest`, for the furthest that succeeds. Returns where to
 * begin next time.
 */
export function* furthestTurn(
  widest: number,
  first: number,
  tries: number,
  succeeds: Succeeds,
): Generator<Batch, number, Float64Array> {
  let [low, high] = [0, widest]
  let isBounded = false
  let turn = Math.min(first, 0.95 * widest)
  for (let left = tries; left > 0; left--) {
    if (yield* succeeds(turn)) low = turn
    else {
      high = turn
      isBounded = true
    }
    const middle = (low + high) / 2
    turn = low === 0 ? high / 2.5 : isBounded ? middle : Math.min(middle, 2 * low)
  }
  return Math.max(leastTurn, low > 0 ? low : high / 2)
}

/** Turns below it bring nothing. */
const leastTurn = 0.02
