import { ZerothError } from '../../core/errors.ts'
import { count, imageDimensions, listOf, numbers, oneOf, optional, table, withDefault } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import type { Basis, BasisState, ImageShape, Key, RunContext } from '../../core/types.ts'
import { orthonormalizeRow } from '../../kernels/orthonormalize.ts'
import { randomInteger } from '../../kernels/random.ts'

/** The option of bases of images that says how large they are. */
export const shapeOption = optional(imageDimensions)

/**
 * Squares of an image that change together: each channel is cut into `size` x `size` tiles, as even as whole pixels
 * allow, and each tile is one vector of length 1. Growing cuts every tile in four, down to single pixels.
 */
export const tiles = definePart({
  kind: 'basis',
  name: 'tiles',
  summary: 'Tiles of an image whose pixels change together, channel by channel.',
  options: table({
    /** Tiles per side; about half a side of small images, a quarter of large ones, if left out. At least 1. */
    size: optional(count),
    /** Size of the image whose pixels the variables are, channel by channel; the run's own if left out. */
    shape: shapeOption,
  }),
  examples: (dim) => [
    { shape: { channels: 1, height: 1, width: dim } },
    { shape: { channels: 1, height: 1, width: dim }, size: dim },
  ],
  make: (options): Basis => ({
    start(at): BasisState {
      const grid = imageGrid('tiles', options, at)
      const { kept } = grid
      const { channels, height, width } = grid.shape
      return {
        get dim() {
          return grid.dim()
        },
        expand(coefficients, into) {
          const [down, across] = [kept(height), kept(width)]
          for (let line = 0, from = 0, to = 0; line < channels * down; line++, from += across) {
            const thick = edge((line % down) + 1, down, height) - edge(line % down, down, height)
            writeLine(coefficients, from, across, thick, width, into, to)
            for (let y = 1; y < thick; y++) into.copyWithin(to + y * width, to, to + width)
            to += thick * width
          }
        },
        // Twice as many, so that every tile is cut along its own edges.
        grow: () => grid.grow(2),
        memory: grid.memory,
      }
    },
  }),
})

/** The first line of pixels in a row of tiles that are `thick` pixels high. */
function writeLine(
  coefficients: Float64Array,
  from: number,
  across: number,
  thick: number,
  width: number,
  into: Float64Array,
  to: number,
): void {
  for (let tile = 0; tile < across; tile++) {
    const [left, right] = [edge(tile, across, width), edge(tile + 1, across, width)]
    into.fill((coefficients[from + tile] as number) / Math.sqrt(thick * (right - left)), to + left, to + right)
  }
}

/** Where tile number `tile` of `count` begins along a side. */
function edge(tile: number, count: number, side: number): number {
  return Math.floor((tile * side) / count)
}

/**
 * A block of neighbouring coordinates per iteration, about one in `count` of all: the next ones in turn, or a block that
 * begins anywhere. The last coordinate is followed by the first, so that every coordinate is taken equally often.
 */
export const blocks = definePart({
  kind: 'basis',
  name: 'blocks',
  summary: 'A block of coordinates, another one in each iteration.',
  options: table({
    /** How many blocks it takes to cover all coordinates. At least 1; default 10. */
    count: withDefault(count, 10),
    /** The blocks in turn, or one at random. Default 'cyclic'. */
    order: withDefault(oneOf('cyclic', 'random'), 'cyclic'),
  }),
  examples: (dim) => [{ count: 1 }, { count: Math.ceil(dim / 3) }, { count: Math.ceil(dim / 2), order: 'random' }],
  make: ({ count, order }): Basis => ({
    start({ dim, seed }): BasisState {
      if (count > dim) {
        throw new ZerothError(
          'invalid-option',
          `blocks.count must be at most the number of variables, ${dim}, got ${count}`,
        )
      }
      const size = Math.ceil(dim / count)
      const first = { seed, iteration: 1 }
      const beginOf = (key: Key): number =>
        order === 'cyclic' ? ((key.iteration - 1) * size) % dim : randomInteger({ ...key, row: 0 }, 'subspaces', 0, dim)
      return {
        dim: size,
        changing: true,
        expand(coefficients, into, key = first) {
          const begin = beginOf(key)
          into.fill(0)
          for (let j = 0; j < size; j++) into[(begin + j) % dim] = coefficients[j] as number
        },
      }
    },
  }),
})

/** What is left of a vector after those before it must be at least this share of it. */
const leastShare = 1e-10

/** The subspace that vectors of the user's span: known good directions, the gradients of a similar problem, and the like. */
export const givenBasis = definePart({
  kind: 'basis',
  name: 'given-basis',
  summary: 'The subspace that given vectors span.',
  options: table({
    /** Independent vectors, a number for each variable; they are made orthonormal in this order. */
    vectors: listOf(numbers, 1),
  }),
  examples: (dim) => [
    { vectors: [Array.from({ length: dim }, (_, i) => i + 1)] },
    { vectors: Array.from({ length: dim }, (_, j) => Array.from({ length: dim }, (_, i) => (i <= j ? 1 : 0.25))) },
  ],
  make: ({ vectors }): Basis => ({
    start({ dim }): BasisState {
      const rows = orthonormal(vectors, dim)
      return {
        dim: vectors.length,
        expand(coefficients, into) {
          into.fill(0)
          for (let j = 0; j < vectors.length; j++) {
            const weight = coefficients[j] as number
            const row = j * dim
            for (let i = 0; i < dim; i++) into[i] = (into[i] as number) + weight * (rows[row + i] as number)
          }
        },
      }
    },
  }),
})

/** An orthonormal basis of the same subspace, one vector after another. */
function orthonormal(vectors: readonly Float64Array[], dim: number): Float64Array {
  const rows = new Float64Array(vectors.length * dim)
  vectors.forEach((vector, j) => {
    const name = `given-basis.vectors[${j}]`
    if (vector.length !== dim) {
      throw new ZerothError(
        'invalid-option',
        `${name} must have an entry for each of ${dim} variables, got ${vector.length}`,
      )
    }
    const bad = vector.findIndex((each) => !Number.isFinite(each))
    if (bad >= 0) {
      throw new ZerothError('invalid-option', `${name}[${bad}] must be a finite number, got ${vector[bad]}`)
    }
    rows.set(vector, j * dim)
    if (!orthonormalizeRow(rows, dim, j, leastShare)) {
      const what = j === 0 ? 'is 0' : `is a combination of those before it, or 0 (there are ${dim} variables)`
      throw new ZerothError('invalid-option', `${name} ${what}; the vectors must be independent`)
    }
  })
  return rows
}

/** The size of the image that a run's variables are, as the option says it or else the run. */
export function imageShape(name: string, given: ImageShape | undefined, { shape, dim }: RunContext): ImageShape {
  const found = given ?? shape
  if (found === undefined) {
    const ways = `give { channels, height, width } as session.shape (in a spec: the key shape) or as ${name}.shape`
    throw new ZerothError('invalid-option', `${name} needs to know the size of the image: ${ways}`)
  }
  const { channels, height, width } = found
  if (channels * height * width === dim) return found
  const size = `${channels} x ${height} x ${width} = ${channels * height * width}`
  throw new ZerothError('invalid-option', `${name}.shape must have as many pixels as variables, ${dim}, got ${size}`)
}

/** How many parts a side of an image has in a basis that may grow; its memory is read anew each time, since a resumed run overwrites it. */
export function imageGrid(
  name: string,
  options: { readonly size?: number | undefined; readonly shape?: ImageShape | undefined },
  at: RunContext,
) {
  const shape = imageShape(name, options.shape, at)
  const { channels, height, width } = shape
  const side = Math.max(height, width)
  const state = { size: Math.min(options.size ?? standardSize(shape), side) }
  const kept = (of: number): number => Math.min(state.size, of)
  return {
    shape,
    memory: { state },
    /** Parts of a side of that length. */
    kept,
    dim: (): number => channels * kept(height) * kept(width),
    /** So many times as many parts, as far as there are pixels for them; false where there are none. */
    grow(factor: number): boolean {
      if (state.size === side) return false
      state.size = Math.min(Math.ceil(state.size * factor), side)
      return true
    },
  }
}

/** How fine a basis is at first: half of the longer side of a small image, a quarter of a large one. */
function standardSize({ height, width }: ImageShape): number {
  const side = Math.max(height, width)
  return side <= 64 ? Math.ceil(side / 2) : Math.max(32, Math.ceil(side / 4))
}
