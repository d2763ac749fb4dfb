import { show, ZerothError } from '../core/errors.ts'
import type { ImageShape } from '../core/types.ts'
import type { Image, Picture } from './dataset.ts'

const tolerance = 1e-6
const pixelOfByte = Float32Array.from({ length: 256 }, (_, byte) => byte / 255)

/** The image's pixels as bytes: row by row, the channels of a pixel side by side. Nearest byte; halves go up. */
export function toBytes(image: Picture): Uint8Array {
  const { channels, height, width } = checkShape(image.shape, image.pixels)
  const bytes = new Uint8Array(channels * height * width)
  for (let channel = 0, from = 0; channel < channels; channel++) {
    for (let to = channel; to < bytes.length; to += channels) bytes[to] = byteOf(image, from++)
  }
  return bytes
}

/** The image that such bytes stand for. */
export function fromBytes(bytes: Uint8Array, shape: ImageShape): Image {
  const { channels, height, width } = checkShape(shape, bytes)
  const pixels = new Float32Array(channels * height * width)
  for (let channel = 0, to = 0; channel < channels; channel++) {
    for (let from = channel; from < bytes.length; from += channels) {
      pixels[to++] = pixelOfByte[bytes[from] as number] as number
    }
  }
  return { shape: { channels, height, width }, pixels }
}

/** The image as an 8-bit file will hold it: what must still be true of an image has to be true of this one. */
export function quantized(image: Picture): Image {
  return fromBytes(toBytes(image), image.shape)
}

function byteOf({ shape, pixels }: Picture, index: number): number {
  const pixel = pixels[index] as number
  if (pixel >= -tolerance && pixel <= 1 + tolerance) return Math.min(255, Math.max(0, Math.round(255 * pixel)))
  const plane = shape.height * shape.width
  const [channel, y] = [Math.floor(index / plane), Math.floor((index % plane) / shape.width)]
  const where = `channel ${channel}, row ${y}, column ${index % shape.width}`
  throw new ZerothError('invalid-data', `pixels must be from 0 to 1, got ${pixel} (${where})`)
}

/** Refuses a shape that no image has, and values that do not fit it. */
export function checkShape(shape: ImageShape, values: ArrayLike<number>): ImageShape {
  const { channels, height, width } = shape
  if (channels !== 1 && channels !== 3) {
    throw new ZerothError('invalid-data', `an image must have 1 or 3 channels, got ${show(channels)}`)
  }
  for (const [name, value] of Object.entries({ height, width })) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new ZerothError(
        'invalid-data',
        `the ${name} of an image must be a whole number above 0, got ${show(value)}`,
      )
    }
  }
  const expected = channels * height * width
  if (values.length === expected) return shape
  const size = `${channels} x ${height} x ${width}`
  throw new ZerothError('invalid-data', `an image of ${size} must have ${expected} values, got ${show(values)}`)
}
