import { count, optional, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Basis, Span } from '../core/types.ts'
import { imageGrid, shapeOption } from './image-options.ts'

/**
 * Squares of an image that change together: each channel is cut into `size` x `size` tiles, as even as whole pixels
 * allow, and each tile is one vector of length 1. Growing cuts every tile in four, down to single pixels.
 */
export const tiles = definePart({
  kind: 'basis',
  name: 'tiles',
  summary: 'Tiles of an image whose pixels change together, channel by channel.',
  options: table({
    size: optional(count('tiles per side; about half a side of small images, a quarter of large ones, if left out')),
    shape: shapeOption,
  }),
  examples: (dim) => [
    { shape: { channels: 1, height: 1, width: dim } },
    { shape: { channels: 1, height: 1, width: dim }, size: dim },
  ],
  make: (options): Basis => ({
    begin(at): Span {
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
