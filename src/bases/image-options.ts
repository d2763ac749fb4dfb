import { ZerothError } from '../core/errors.ts'
import { imageDimensions, optional } from '../core/options.ts'
import type { Begin, ImageShape } from '../core/types.ts'

/** The option of bases of images that says how large they are. */
export const shapeOption = optional(
  imageDimensions,
  "size of the image whose pixels the variables are, channel by channel; the run's own if left out",
)

/** The size of the image that a run's variables are, as the option says it or else the run. */
export function imageShape(name: string, given: ImageShape | undefined, { shape, dim }: Begin): ImageShape {
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
  at: Begin,
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
