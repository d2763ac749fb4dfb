/** What counts as a success. */
export interface Goal {
  /** The untouched image, pixels from 0 to 1. */
  readonly pixels: Float32Array
  readonly label: number
  /** The class to reach; any but `label` if left out. */
  readonly target?: number | undefined
  readonly linf?: number | undefined
  readonly l2?: number | undefined
}

/** What a run did, seen from the network. */
export interface Account {
  /** Rows that reached the network. */
  readonly queries: number
  /** The query of the first success inside the limits. */
  readonly first: number | undefined
  /** At each of the marks, the distance of the nearest success so far. */
  readonly best: readonly (number | undefined)[]
}

/** Counts the rows that reach a network, and notes which of them succeed and how near they are. */
export interface Tracker {
  /** Queries that are left of the budget. */
  readonly room: number
  /** Whether some query succeeded. */
  readonly succeeded: boolean
  /** Notes rows in the order in which they were asked, with what the network answered. */
  record(pixels: Float32Array, scores: ArrayLike<number>, rows: number): void
  account(): Account
}

/** Queries at which the nearest success so far is kept. */
export const marks: readonly number[] = [
  10, 20, 50, 100, 150, 200, 300, 400, 500, 700, 1000, 1500, 2000, 3000, 4000, 5000, 7000, 10_000, 11_001,
]

/** What float32 arithmetic may be off by. */
const roundoff = 1e-5

/** A tracker of one run: rows beyond the budget are counted, and change nothing else. */
export function openTracker(goal: Goal, budget: number): Tracker {
  const steps: { readonly query: number; readonly l2: number }[] = []
  const dim = goal.pixels.length
  let queries = 0
  return {
    get room() {
      return Math.max(0, budget - queries)
    },
    get succeeded() {
      return steps.length > 0
    },
    record(pixels, scores, rows) {
      const classes = scores.length / rows
      for (let row = 0; row < rows; row++) {
        queries++
        if (queries > budget || !fools(scores, row * classes, classes, goal)) continue
        const l2 = allowedDistance(pixels, row * dim, goal)
        if (l2 < (steps.at(-1)?.l2 ?? Infinity)) steps.push({ query: queries, l2 })
      }
    },
    account: () => ({
      queries,
      first: steps[0]?.query,
      best: marks.filter((mark) => mark <= budget).map((mark) => steps.findLast(({ query }) => query <= mark)?.l2),
    }),
  }
}

/** Whether the scores of a row reach the goal; a tie does not. */
function fools(scores: ArrayLike<number>, from: number, classes: number, { label, target }: Goal): boolean {
  let [own, rival] = [Number.NaN, -Infinity]
  const wanted = target ?? label
  for (let j = 0; j < classes; j++) {
    const score = scores[from + j] as number
    if (Number.isNaN(score)) return false
    if (j === wanted) own = score
    else rival = Math.max(rival, score)
  }
  return target === undefined ? rival > own : own > rival
}

/** How far a row is from the untouched image; infinite where it is no picture or outside the limits. */
function allowedDistance(
  rows: Float32Array,
  from: number,
  { pixels, linf = Infinity, l2: longest = Infinity }: Goal,
): number {
  let [squares, largest] = [0, 0]
  for (let i = 0; i < pixels.length; i++) {
    const pixel = rows[from + i] as number
    if (!(pixel >= -roundoff && pixel <= 1 + roundoff)) return Infinity
    const change = pixel - (pixels[i] as number)
    squares += change * change
    largest = Math.max(largest, Math.abs(change))
  }
  const l2 = Math.sqrt(squares)
  return largest <= linf + roundoff && l2 <= longest + roundoff ? l2 : Infinity
}
