import type { Queries, Vector } from '../core/types.ts'
import type { RowSizes } from '../kernels/row-pair.ts'
import type { Images } from '../models/model.ts'
import type { PaintedPair, PosedAttack } from './form.ts'
import type { Distortion } from './records.ts'

/** The pictures of an iteration, each row of the queries with every original, and room for what they bring. */
export interface Asked {
  readonly pictures: Images
  readonly scores: Float64Array
  /** All rows, where each was written and is still there. */
  kept(): Vector | null
  /** ||x' - x||^2 of a picture, which is a by-product of writing it. */
  squaresOf(picture: number): number
  /** All norms of x' - x, where they are a by-product, too. */
  distortionOf(picture: number): Distortion | undefined
}

/** Memory for the rows and the answers of an iteration. */
export interface Room {
  /** A row of variables, in the precision of the queries. */
  readonly variables: Vector
  /** One with more digits, where there was any. */
  finer: Float64Array | undefined
  /** Kernels that paint one picture, or two of the same image, at once; undefined for float64 queries. */
  readonly pair: PaintedPair | undefined
  readonly sizes: RowSizes
  readonly scores: Float64Array
}

/** Emptied room for these queries: the one of before where it fits. */
export function roomFor(
  spare: Room | undefined,
  { rows, dim, precision }: Queries,
  posed: PosedAttack,
  { images, classes }: { readonly images: number; readonly classes: number },
): Room {
  const count = rows * images
  const isSingle = precision === 'float32'
  const before = spare?.variables instanceof Float32Array === isSingle ? spare : undefined
  const pair = before?.pair ?? (isSingle ? posed.pair?.() : undefined)
  // A row that serves several images outlives one painting, which the rows of a pair do not: they are shared by all attacks.
  const shared = images === 1 ? pair?.rows[0] : undefined
  const variables = shared ?? before?.variables ?? (isSingle ? new Float32Array(dim) : new Float64Array(dim))
  const isAsLong = before?.sizes.squares.length === count
  const sizes = isAsLong ? before.sizes : { squares: new Float64Array(count), largest: new Float64Array(count) }
  const scores = isAsLong ? before.scores : new Float64Array(count * classes)
  for (const each of [sizes.squares, sizes.largest, scores]) each.fill(Number.NaN)
  return { variables, finer: before?.finer, pair, sizes, scores }
}

/** Numbers in rows that an attack keeps at most: many may be under way at once. */
const mostKept = 4_000_000

/** The pictures of these queries. A row is made once, and kept for the update where the run has room for that. */
export function ask(queries: Queries, posed: PosedAttack, images: number, room: Room, askedAgain: () => void): Asked {
  const { variables, pair, sizes, scores } = room
  const { squares, largest } = sizes
  const { dim } = queries
  const kept = images === 1 && squares.length * dim <= mostKept ? queries.room?.() : undefined
  let written = -1
  let made: Vector = variables
  /** A row of variables, made where it can be kept, where there is such a place, if it has to be made; returns where it is. */
  const make = (row: number, spare: Vector): Vector => {
    const there = kept === undefined ? queries.inPlace?.(row) : undefined
    if (there !== undefined && there instanceof Float32Array === spare instanceof Float32Array) return there
    if (kept === undefined) queries.write(row, spare)
    else queries.write(row, kept, row * dim)
    return kept?.subarray(row * dim, (row + 1) * dim) ?? spare
  }
  const isFiner = (row: number): boolean => queries.isFiner?.(row) === true
  const finerRoom = (): Float64Array => {
    room.finer ??= new Float64Array(dim)
    return room.finer
  }
  const write = (picture: number, into: Vector, offset = 0): void => {
    const row = Math.floor(picture / images)
    // The rows of a pair are shared with other attacks, which may have written since.
    if ((pair !== undefined && images === 1) || row !== written)
      made = make(row, isFiner(row) ? finerRoom() : variables)
    written = row
    const image = picture % images
    if (pair !== undefined && made instanceof Float32Array && into instanceof Float32Array) {
      pair.paintOne(image, made, into, offset, sizes, picture)
    } else squares[picture] = posed.paint(made, image, into, offset)
  }
  const writeTwo = (row: number, into: Vector, offset: number): boolean => {
    if (pair === undefined || images > 1 || !(into instanceof Float32Array)) return false
    if (isFiner(row) || isFiner(row + 1)) return false
    const rows = [make(row, pair.rows[0]), make(row + 1, pair.rows[1])] as [Float32Array, Float32Array]
    pair.paint(0, rows, into, offset, sizes, row)
    return true
  }
  return {
    pictures: { rows: squares.length, write, writeTwo, askedAgain },
    scores,
    kept: () => (kept !== undefined && !squares.some(Number.isNaN) ? kept : null),
    squaresOf(picture) {
      // A model may know its scores without reading the picture.
      if (Number.isNaN(squares[picture])) write(picture, new Float64Array(posed.dim))
      return squares[picture] as number
    },
    distortionOf(picture) {
      const [l2sq, linf] = [squares[picture] as number, largest[picture] as number]
      return Number.isNaN(linf) ? undefined : { l2sq, l2: Math.sqrt(l2sq), linf }
    },
  }
}
