import type { LocalLayout } from '../bases/local-cosines.ts'
import { randomUniform } from '../kernels/random.ts'
import { type KnownSlopes, largest, type SlopeChoice } from './slope-choice.ts'

/** The row of the random numbers that tell equals apart: other rows draw coordinates elsewhere. */
const tieRow = 3

/** Slopes that what is assumed before any was taken is worth. */
const assumed = 2

/** Turns in which places and kinds are weighed against each other. */
const turns = 5

/** What a slope that was taken as many slopes ago as there are vectors is worth, compared with an unknown one. */
const refresh = 0.05

/**
 * Takes slopes first where they are expected to be steep: the mean square of a slope is taken to be that of its place in
 * the image times that of its kind (mixture of channels and band of frequencies), and both are learned from the slopes
 * known so far. Places borrow from their neighbors. With many more vectors than queries, this finds several times as much
 * of the gradient as an order that is fixed beforehand.
 */
export function steepestChoice(
  seed: number,
  cosines: { readonly dim: number; readonly layout: LocalLayout },
): SlopeChoice {
  const { dim } = cosines
  let made: { readonly layout: LocalLayout; readonly ties: Float32Array; readonly worth: Float64Array } | undefined
  return (known, now, count) => {
    // Three lists as long as the image, which a search that never gets here does without.
    made ??= { layout: cosines.layout, ties: tiesOf(seed, dim), worth: new Float64Array(dim) }
    const { layout, ties, worth } = made
    const { cells } = layout
    const expected = expectedSquares(layout, tallied(known, layout))
    for (let i = 0; i < dim; i++) {
      const taken = known.taken[i] as number
      const age = taken === 0 ? 1 : (refresh * (now - taken)) / dim
      worth[i] = (expected[cells[i] as number] as number) * (ties[i] as number) * age
    }
    return Uint32Array.from(largest(worth, count))
  }
}

/** Factors that tell equals apart. */
function tiesOf(seed: number, dim: number): Float32Array {
  const ties = new Float32Array(dim)
  const at = { seed, iteration: 0, row: tieRow }
  for (let i = 0; i < dim; i++) ties[i] = 1 + 1e-3 * randomUniform(at, 'coordinates', i)
  return ties
}

type Grid = Pick<LocalLayout, 'rows' | 'columns' | 'kinds'>

/** For each place and kind, how many slopes are known and the sum of their squares; and the same for each place. */
interface Tally {
  readonly squares: Float64Array
  readonly counts: Float64Array
}

function tallied({ slopes, taken }: KnownSlopes, { rows, columns, kinds, cells }: LocalLayout): Tally {
  const squares = new Float64Array(rows * columns * kinds)
  const counts = new Float64Array(rows * columns * kinds)
  for (let i = 0; i < cells.length; i++) {
    if (taken[i] === 0) continue
    const cell = cells[i] as number
    squares[cell] = (squares[cell] as number) + (slopes[i] as number) * (slopes[i] as number)
    counts[cell] = (counts[cell] as number) + 1
  }
  return { squares, counts }
}

/** What the square of a slope of each cell is expected to be, up to a common factor. */
function expectedSquares(grid: Grid, { squares, counts }: Tally): Float64Array {
  const { kinds } = grid
  const blocks = grid.rows * grid.columns
  const found = { kind: sumBy(squares, kinds, kindIn(kinds)), place: sumBy(squares, blocks, placeIn(kinds)) }
  const all = total(found.kind)
  const inKind = new Float64Array(kinds).fill(1)
  let inPlace: Float64Array = new Float64Array(blocks).fill(1)
  for (let turn = 0; turn < turns && all > 0; turn++) {
    const tried = sumBy(counts, kinds, kindIn(kinds), (cell) => inPlace[placeIn(kinds)(cell)] as number)
    const usual = all / total(tried)
    for (let k = 0; k < kinds; k++) {
      inKind[k] = ((found.kind[k] as number) + assumed * usual) / ((tried[k] as number) + assumed)
    }
    const near = sumBy(counts, blocks, placeIn(kinds), (cell) => inKind[kindIn(kinds)(cell)] as number)
    inPlace = placesOf(found.place, near, { weight: assumed * (total(inKind) / kinds), usual: all / total(near), grid })
  }
  return squares.map((_, cell) => (inPlace[placeIn(kinds)(cell)] as number) * (inKind[kindIn(kinds)(cell)] as number))
}

const placeIn = (kinds: number) => (cell: number) => Math.floor(cell / kinds)
const kindIn = (kinds: number) => (cell: number) => cell % kinds

/** Sums of the entries that belong together, each with its weight. */
function sumBy(
  entries: Float64Array,
  groups: number,
  groupOf: (entry: number) => number,
  weight: (entry: number) => number = () => 1,
): Float64Array {
  const sums = new Float64Array(groups)
  for (let i = 0; i < entries.length; i++) {
    if (entries[i] === 0) continue
    const group = groupOf(i)
    sums[group] = (sums[group] as number) + (entries[i] as number) * weight(i)
  }
  return sums
}

/** How the slopes of places are put together. */
interface Weighing {
  /** What the neighbors are worth. */
  readonly weight: number
  /** The mean over all places. */
  readonly usual: number
  readonly grid: Grid
}

/** How steep each place is compared with the mean: its own slopes and those of its neighbors. */
function placesOf(squares: Float64Array, tried: Float64Array, { weight, usual, grid }: Weighing): Float64Array {
  const around = blurred(squares, grid)
  const triedAround = blurred(tried, grid)
  const faint = 0.05 * weight
  const found = squares.map((own, at) => {
    const expected = ((around[at] as number) + faint * usual) / ((triedAround[at] as number) + faint)
    return (own + weight * expected) / ((tried[at] as number) + weight)
  })
  const mean = total(found) / found.length
  return found.map((each) => each / mean)
}

/** Each entry of a grid averaged with its neighbors, up to two places away. */
function blurred(grid: Float64Array, { rows, columns }: Grid): Float64Array {
  const along = (entries: Float64Array, step: number, last: number, place: (i: number) => number): Float64Array =>
    entries.map((own, i) => {
      const before = entries[place(i) === 0 ? i : i - step] as number
      const after = entries[place(i) === last ? i : i + step] as number
      return (before + 2 * own + after) / 4
    })
  const once = (entries: Float64Array): Float64Array => {
    const lines = along(entries, 1, columns - 1, (i) => i % columns)
    return along(lines, columns, rows - 1, (i) => Math.floor(i / columns))
  }
  return once(once(grid))
}

function total(values: Float64Array): number {
  return values.reduce((sum, each) => sum + each, 0)
}
