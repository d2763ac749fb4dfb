import type { Answers, BasisState, Memory, RunContext, Vector } from '../../optimizer/core/types.ts'
import { randomUniform } from '../../optimizer/kernels/random.ts'
import { sum } from '../../optimizer/numerics/vectors.ts'
import type { LocalLayout } from '../../optimizer/parts/bases/dct.ts'
import { projectInto } from './project-into.ts'

/** Steeper is not told apart: squares of it would overflow. */
const steepest = { float64: 1e140, float32: 1e17 }

/** How many times the whole gradient a slope must have been to leave its mark in float32. */
const outlying = 100

/** Where slopes are taken: around x, at that distance, so many at a time. */
export interface Around {
  readonly x: Vector
  readonly length: number
  readonly count: number
}

/**
 * A gradient that is put together from slopes along the vectors of a basis, a few of them at a time, and
 * remembered: a slope stands until it is taken anew. With an objective that does not change, and points that
 * move little, it becomes the whole gradient, where an average of random directions stays as noisy as it was.
 */
export interface GradientMemory {
  readonly memory: Memory
  readonly gradient: Vector
  /** How often as many slopes were taken as there are vectors. */
  readonly round: number
  /** Writes x + length b for the vector of that place among those that come next, or as much of it as the set allows. */
  write(around: Around, place: number, into: Vector, offset: number): void
  /** Takes the slopes that come next off answers whose first row is x itself, and those of each competing class off its values. */
  learn(answers: Pick<Answers, 'values' | 'failed'>, around: Around, competitors?: ClassValues): void
  /** Goes on with the slopes of a competing class instead of its own. */
  turnTo(competitor: number): void
  /** into = the gradient of a competing class. */
  gradientOf(competitor: number, into: Vector): void
}

/** The values of other objectives at the same rows, row by row: `count` numbers each. */
export interface ClassValues {
  readonly count: number
  readonly values: Float64Array
}

/** Remembers slopes along the vectors of a span, chosen by groups if left out; with `inside` no probe leaves the set. */
export function gradientMemory(
  at: RunContext,
  span: BasisState,
  inside = false,
  choose: CoordinateSelection = selectByGroup(at.seed, span),
  competitors = 0,
): GradientMemory {
  return new Slopes(at, span, inside, choose, competitors)
}

class Slopes implements GradientMemory {
  readonly memory: Memory
  readonly gradient: Vector
  readonly #at: RunContext
  readonly #span: BasisState
  readonly #count: number
  readonly #slopes: Vector
  readonly #taken: Vector
  /** The slopes of each competing class, one after the other. */
  readonly #competitors: Vector
  readonly #buffer: Vector
  /** Brings a probe into the set; undefined where probes may leave it. */
  readonly #projectInto: ((x: Vector) => void) | undefined
  readonly #vector: Vector
  readonly #whole: Float64Array
  /** Slopes taken so far. */
  readonly #state = { now: 0 }
  readonly #add: NonNullable<BasisState['add']>
  readonly #choose: CoordinateSelection
  #chosen: { readonly now: number; readonly vectors: Uint32Array } = { now: -1, vectors: new Uint32Array(0) }

  constructor(at: RunContext, span: BasisState, inside: boolean, choose: CoordinateSelection, competitors: number) {
    const { kernels, precision, dim } = at
    this.#at = at
    this.#projectInto = inside ? projectInto(at) : undefined
    this.#vector = kernels.allocate(inside ? dim : 0, precision)
    this.#span = span
    this.#count = span.dim
    this.#slopes = kernels.allocate(span.dim, precision)
    this.#taken = kernels.allocate(span.dim, precision)
    this.#competitors = kernels.allocate(competitors * span.dim, precision)
    this.#choose = choose
    this.gradient = kernels.allocate(dim, precision)
    this.#buffer = kernels.allocate(dim, precision)
    this.#whole = new Float64Array(dim)
    this.#add = span.add?.bind(span) ?? adding(span, dim)
    const vectors = { slopes: this.#slopes, taken: this.#taken, gradient: this.gradient }
    this.memory = {
      vectors: competitors === 0 ? vectors : { ...vectors, competitors: this.#competitors },
      state: this.#state,
    }
  }

  get round(): number {
    return Math.floor(this.#state.now / this.#count)
  }

  write({ x, length, count }: Around, place: number, into: Vector, offset: number): void {
    this.#probe(x, length, this.#next(count)[place] as number)
    into.set(this.#buffer, offset)
  }

  learn({ values, failed }: Pick<Answers, 'values' | 'failed'>, around: Around, competitors?: ClassValues): void {
    const { x, length, count } = around
    let steepestBefore = 0
    this.#next(count).forEach((vector, i) => {
      // One that failed has had its turn, too.
      this.#taken[vector] = this.#state.now + i + 1
      if (failed[0] === 1 || failed[i + 1] === 1) return
      const along = this.#projectInto === undefined ? length : this.#probe(x, length, vector)
      // Along a vector for which the set has no room there is no slope.
      const slope = along === 0 ? 0 : ((values[i + 1] as number) - (values[0] as number)) / along
      if (competitors !== undefined) this.#learnRivals(competitors, vector, i + 1, along)
      steepestBefore = Math.max(steepestBefore, Math.abs(this.#replace(vector, slope)))
    })
    this.#state.now += count
    // What is left of a slope much steeper than all others when it is taken back would be taken for a slope itself.
    const { kernels } = this.#at
    if (steepestBefore > outlying * Math.sqrt(kernels.dot(this.gradient, this.gradient))) this.#rebuild()
  }

  #learnRivals({ count, values }: ClassValues, vector: number, row: number, along: number): void {
    const limit = steepest[this.#at.precision]
    for (let competitor = 0; competitor < count; competitor++) {
      const difference = (values[row * count + competitor] as number) - (values[competitor] as number)
      const slope = along === 0 ? 0 : difference / along
      if (Number.isNaN(slope)) continue
      this.#competitors[competitor * this.#count + vector] = Math.min(Math.max(slope, -limit), limit)
    }
  }

  turnTo(competitor: number): void {
    this.#slopes.set(this.#competitors.subarray(competitor * this.#count, (competitor + 1) * this.#count))
    this.#rebuild()
  }

  gradientOf(competitor: number, into: Vector): void {
    this.#span.expand(
      Float64Array.from(this.#competitors.subarray(competitor * this.#count, (competitor + 1) * this.#count)),
      this.#whole,
    )
    into.set(this.#whole)
  }

  /** Puts the probe along a vector into the buffer: ahead, or behind x where that leaves the set; returns its length. */
  #probe(x: Vector, length: number, vector: number): number {
    for (const side of [length, -length]) {
      this.#buffer.set(x)
      this.#add(vector, side, this.#buffer, 0)
      if (this.#projectInto === undefined || this.#at.set.contains(this.#buffer)) return side
    }
    // At a corner, or in a narrow set: the longer of what is left of the two.
    const behind = this.#shortened(x, -length, vector)
    const ahead = this.#shortened(x, length, vector)
    return Math.abs(ahead) >= Math.abs(behind) ? ahead : this.#shortened(x, -length, vector)
  }

  /** Puts a probe that is brought into the set into the buffer; returns how far it is along its vector. */
  #shortened(x: Vector, length: number, vector: number): number {
    this.#buffer.set(x)
    this.#add(vector, length, this.#buffer, 0)
    this.#projectInto?.(this.#buffer)
    this.#vector.fill(0)
    this.#add(vector, 1, this.#vector, 0)
    let along = 0
    for (let i = 0; i < x.length; i++) {
      along += ((this.#buffer[i] as number) - (x[i] as number)) * (this.#vector[i] as number)
    }
    return along / this.#at.kernels.dot(this.#vector, this.#vector)
  }

  /** Puts a slope in the place of the one that its vector had, which it returns. */
  #replace(vector: number, slope: number): number {
    const before = this.#slopes[vector] as number
    const limit = steepest[this.#at.precision]
    this.#slopes[vector] = Math.min(Math.max(slope, -limit), limit)
    this.#add(vector, (this.#slopes[vector] as number) - before, this.gradient, 0)
    return before
  }

  /** The vectors that come next. */
  #next(count: number): Uint32Array {
    const { now } = this.#state
    if (this.#chosen.now !== now || this.#chosen.vectors.length !== count) {
      const known = { slopes: this.#slopes, taken: this.#taken }
      this.#chosen = { now, vectors: this.#choose(known, now, count) }
    }
    return this.#chosen.vectors
  }

  /** All slopes once more, without the rounding errors of those that came and went. */
  #rebuild(): void {
    this.#span.expand(Float64Array.from(this.#slopes), this.#whole)
    this.gradient.set(this.#whole)
  }
}

/** Single vectors of a basis that only knows how to write sums. */
function adding(span: BasisState, dim: number): NonNullable<BasisState['add']> {
  const coefficients = new Float64Array(span.dim)
  const vector = new Float64Array(dim)
  return (index, weight, into, offset) => {
    coefficients[index] = 1
    span.expand(coefficients, vector)
    coefficients[index] = 0
    for (let i = 0; i < dim; i++) into[offset + i] = (into[offset + i] as number) + weight * (vector[i] as number)
  }
}

/** The coordinates themselves as a basis, where there is nothing better. */
export function coordinateSpan(dim: number): BasisState {
  return {
    dim,
    expand: (coefficients, into) => into.set(coefficients),
    project: (vector, into) => into.set(vector),
    add(index, weight, into, offset) {
      into[offset + index] = (into[offset + index] as number) + weight
    },
  }
}

/** What is known of the slopes along the vectors of a basis. */
interface KnownSlopes {
  readonly slopes: Vector
  /** When each was taken, counted in slopes from 1; 0 where it never was. */
  readonly taken: Vector
}

/** Chooses the vectors along which slopes are taken next. */
export type CoordinateSelection = (known: KnownSlopes, now: number, count: number) => Uint32Array

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
export function selectByGroup(seed: number, span: BasisState): CoordinateSelection {
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
function largest(worth: Float64Array, count: number): number[] {
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

/** The row of the random numbers that tell equals apart: other rows draw coordinates elsewhere. */
const tieRow = 3

/** Slopes that what is assumed before any was taken is worth. */
const assumed = 2

/** Turns in which places and kinds are weighed against each other. */
const turns = 5

/**
 * Takes slopes first where they are expected to be steep: the mean square of a slope is taken to be that of its place in
 * the image times that of its kind (mixture of channels and band of frequencies), and both are learned from the slopes
 * known so far. Places borrow from their neighbors. With many more vectors than queries, this finds several times as much
 * of the gradient as an order that is fixed beforehand.
 */
export function selectSteepest(
  seed: number,
  cosines: { readonly dim: number; readonly layout: LocalLayout },
): CoordinateSelection {
  const { dim } = cosines
  let made: { readonly layout: LocalLayout; readonly ties: Float32Array; readonly worth: Float64Array } | undefined
  return (known, now, count) => {
    // Three lists as long as the image, which a search that never gets here does without.
    made ??= { layout: cosines.layout, ties: tiesOf(seed, dim), worth: new Float64Array(dim) }
    const { layout, ties, worth } = made
    const { cells } = layout
    const expected = expectedCellSquares(layout, tallied(known, layout))
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
function expectedCellSquares(grid: Grid, { squares, counts }: Tally): Float64Array {
  const { kinds } = grid
  const blocks = grid.rows * grid.columns
  const found = { kind: sumBy(squares, kinds, kindIn(kinds)), place: sumBy(squares, blocks, placeIn(kinds)) }
  const all = sum(found.kind)
  const inKind = new Float64Array(kinds).fill(1)
  let inPlace: Float64Array = new Float64Array(blocks).fill(1)
  for (let turn = 0; turn < turns && all > 0; turn++) {
    const tried = sumBy(counts, kinds, kindIn(kinds), (cell) => inPlace[placeIn(kinds)(cell)] as number)
    const usual = all / sum(tried)
    for (let k = 0; k < kinds; k++) {
      inKind[k] = ((found.kind[k] as number) + assumed * usual) / ((tried[k] as number) + assumed)
    }
    const near = sumBy(counts, blocks, placeIn(kinds), (cell) => inKind[kindIn(kinds)(cell)] as number)
    inPlace = placesOf(found.place, near, { weight: assumed * (sum(inKind) / kinds), usual: all / sum(near), grid })
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
  const mean = sum(found) / found.length
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
