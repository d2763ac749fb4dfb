import type { LocalLayout } from '../bases/local-cosines.ts'
import type { Begin } from '../core/types.ts'
import { randomUniform } from '../kernels/random.ts'
import type { SlopeOrder } from './slope-order.ts'

/** The row of the random numbers that tell equals apart: other rows draw coordinates elsewhere. */
const tieRow = 3

/** Slopes that what is assumed before any was taken is worth. */
const assumed = 2

/** Turns in which places and kinds are weighed against each other. */
const turns = 5

/**
 * Takes slopes first where they are expected to be steep: the mean square of a slope is taken to be that of its place in
 * the image times that of its kind (mixture of channels and band of frequencies), and both are learned from the slopes
 * taken so far. Places borrow from their neighbors. With many more vectors than queries, this finds several times as much
 * of the gradient as an order that is fixed beforehand.
 */
export function steepestFirst({ seed }: Begin, layout: LocalLayout): SlopeOrder {
  const { rows, columns, kinds, members } = layout
  const blocks = rows * columns
  const cells = blocks * kinds
  const squares = new Float64Array(cells)
  const counts = new Float64Array(cells)
  /** Vectors of each cell that were used in this round. */
  const used = new Float64Array(cells)
  const state = { round: 0 }
  const size = Int32Array.from({ length: cells }, (_, cell) => members(Math.floor(cell / kinds), cell % kinds).length)
  const tie = Float64Array.from({ length: cells }, (_, cell) => {
    return 1 + 1e-3 * randomUniform({ seed, iteration: 0, row: tieRow }, 'coordinates', cell)
  })
  let plan: Int32Array[] = []

  /** The next vectors with their cells, at least so many of them. */
  const planned = (count: number): Int32Array[] => {
    if (plan.length < count) plan = planFrom(count)
    return plan
  }

  const planFrom = (count: number): Int32Array[] => {
    const expected = expectedSquares({ rows, columns, kinds }, squares, counts)
    const isLeft = (cell: number): boolean => (used[cell] as number) < (size[cell] as number)
    const promise = (cell: number): number => (isLeft(cell) ? (expected[cell] as number) * (tie[cell] as number) : -1)
    const found: Int32Array[] = []
    for (const cell of largest(cells, count, promise)) {
      const vectors = members(Math.floor(cell / kinds), cell % kinds)
      for (let i = used[cell] as number; i < vectors.length; i++) {
        found.push(Int32Array.of(vectors[i] as number, cell))
      }
    }
    // A round that ends within the plan continues with the first vectors of the next, which are as good as any.
    for (let cell = 0; found.length < count; cell = (cell + 1) % cells) {
      for (const vector of members(Math.floor(cell / kinds), cell % kinds)) found.push(Int32Array.of(vector, cell))
    }
    return found
  }

  return {
    memory: { vectors: { squares, counts, used }, state },
    get round() {
      return state.round
    },
    vectorAt: (ahead) => planned(ahead + 1)[ahead]?.[0] as number,
    found(ahead, slope) {
      const cell = planned(ahead + 1)[ahead]?.[1] as number
      squares[cell] = (squares[cell] as number) + slope * slope
      counts[cell] = (counts[cell] as number) + 1
    },
    advance(count) {
      for (const [, cell = 0] of planned(count).slice(0, count)) {
        used[cell] = Math.min((used[cell] as number) + 1, size[cell] as number)
      }
      plan = []
      if (used.every((each, cell) => each >= (size[cell] as number))) {
        state.round++
        used.fill(0)
      }
    },
  }
}

/** What the square of a slope of each cell is expected to be, up to a common factor. */
function expectedSquares(
  { rows, columns, kinds }: Pick<LocalLayout, 'rows' | 'columns' | 'kinds'>,
  squares: Float64Array,
  counts: Float64Array,
): Float64Array {
  const blocks = rows * columns
  const inKind = new Float64Array(kinds).fill(1)
  let inPlace: Float64Array = new Float64Array(blocks).fill(1)
  const sum = (
    from: Float64Array,
    into: Float64Array,
    by: (cell: number) => number,
    weight: (cell: number) => number,
  ) => {
    into.fill(0)
    for (let cell = 0; cell < from.length; cell++) {
      const at = by(cell)
      into[at] = (into[at] as number) + (from[cell] as number) * weight(cell)
    }
    return into
  }
  const place = (cell: number): number => Math.floor(cell / kinds)
  const kind = (cell: number): number => cell % kinds
  const found = {
    kinds: sum(squares, new Float64Array(kinds), kind, one),
    places: sum(squares, new Float64Array(blocks), place, one),
  }
  const all = total(found.kinds)
  if (all === 0) return new Float64Array(blocks * kinds).fill(1)
  const [tried, near] = [new Float64Array(kinds), new Float64Array(blocks)]
  for (let turn = 0; turn < turns; turn++) {
    sum(counts, tried, kind, (cell) => inPlace[place(cell)] as number)
    const usual = all / total(tried)
    for (let k = 0; k < kinds; k++) {
      inKind[k] = ((found.kinds[k] as number) + assumed * usual) / ((tried[k] as number) + assumed)
    }
    const weight = assumed * (total(inKind) / kinds)
    sum(counts, near, place, (cell) => inKind[kind(cell)] as number)
    inPlace = placesOf(found.places, near, { weight, usual: all / total(near), rows, columns })
  }
  return Float64Array.from({ length: blocks * kinds }, (_, cell) => {
    return (inPlace[place(cell)] as number) * (inKind[kind(cell)] as number)
  })
}

interface Places {
  /** What the neighbors are worth. */
  readonly weight: number
  /** The mean over all places. */
  readonly usual: number
  readonly rows: number
  readonly columns: number
}

/** How steep each place is compared with the mean: its own slopes and those of its neighbors. */
function placesOf(squares: Float64Array, tried: Float64Array, { weight, usual, rows, columns }: Places): Float64Array {
  const around = blurred(squares, rows, columns)
  const triedAround = blurred(tried, rows, columns)
  const faint = 0.05 * weight
  const found = squares.map((own, at) => {
    const expected = ((around[at] as number) + faint * usual) / ((triedAround[at] as number) + faint)
    return (own + weight * expected) / ((tried[at] as number) + weight)
  })
  const mean = total(found) / found.length
  return found.map((each) => each / mean)
}

/** Each entry of a grid averaged with its neighbors, up to two places away. */
function blurred(grid: Float64Array, rows: number, columns: number): Float64Array {
  let now = grid
  for (let pass = 0; pass < 2; pass++)
    now = smoothed(smoothed(now, rows, columns, 1, columns), rows, columns, columns, rows)
  return now
}

/** (1, 2, 1) / 4 along lines of that length, whose entries lie `step` apart; the ends count twice. */
function smoothed(grid: Float64Array, rows: number, columns: number, step: number, length: number): Float64Array {
  const made = new Float64Array(rows * columns)
  for (let i = 0; i < made.length; i++) {
    const along = step === 1 ? i % columns : Math.floor(i / columns)
    const before = along === 0 ? i : i - step
    const after = along === length - 1 ? i : i + step
    made[i] = ((grid[before] as number) + 2 * (grid[i] as number) + (grid[after] as number)) / 4
  }
  return made
}

/** The numbers below `count` with the largest values, the largest first, so many of them at most; negative ones never. */
function largest(count: number, wanted: number, value: (i: number) => number): number[] {
  const kept: { readonly i: number; readonly value: number }[] = []
  for (let i = 0; i < count; i++) {
    const own = value(i)
    if (own < 0 || (kept.length === wanted && own <= (kept.at(-1)?.value as number))) continue
    let at = kept.length
    while (at > 0 && (kept[at - 1]?.value as number) < own) at--
    kept.splice(at, 0, { i, value: own })
    if (kept.length > wanted) kept.pop()
  }
  return kept.map(({ i }) => i)
}

function total(values: Float64Array): number {
  return values.reduce((sum, each) => sum + each, 0)
}

function one(): number {
  return 1
}
