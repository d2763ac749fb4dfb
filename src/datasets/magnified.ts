import { show, ZerothError } from '../core/errors.ts'
import type { Picture } from './dataset.ts'
import { checkShape } from './pixels.ts'

/** The picture with each of its pixels as a square of `factor` times `factor`: small images become visible, unblurred. */
export function magnified(picture: Picture, factor: number): Picture {
  const { channels, height, width } = checkShape(picture.shape, picture.pixels)
  if (!Number.isSafeInteger(factor) || factor < 1) {
    throw new ZerothError('invalid-option', `magnified: factor must be a whole number above 0, got ${show(factor)}`)
  }
  const [wide, high] = [width * factor, height * factor]
  const pixels = new Float64Array(channels * high * wide)
  for (let row = 0, to = 0; row < channels * high; row++) {
    const from = Math.floor(row / factor) * width
    for (let x = 0; x < wide; x++) pixels[to++] = picture.pixels[from + Math.floor(x / factor)] as number
  }
  return { shape: { channels, height: high, width: wide }, pixels }
}
