import { show, ZerothError } from '../core/errors.ts'
import type { Output } from '../core/option-type.ts'
import { choice, count, option, optional, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { numberWithin, oneOf, union, wholeFrom } from '../core/schema.ts'
import { dataError } from './data-error.ts'
import type { Image } from './dataset.ts'
import type { ImageOptions } from './dataset-options.ts'
import { decodeImage, openImage } from './open-image.ts'
import { fromBytes } from './pixels.ts'
import type { Raster } from './raster.ts'
import { coverAndCrop, type Extent, stretch } from './resample.ts'

const size = union(wholeFrom(1), table({ height: wholeFrom(1), width: wholeFrom(1) }))

/** How image files become images. */
export const imageOptions = table({
  channels: optional(oneOf(1, 3), '1 for grey, 3 for color; the file decides if left out'),
  size: optional(size, 'height and width of the image, or one number for both; the file decides if left out'),
  resize: optional(
    choice(
      ['imagenet', 'stretch', 'none'],
      'imagenet: cover the size and crop the middle (default with a size); stretch; none: refuse other sizes',
    ),
  ),
  cropFraction: option(
    numberWithin({ above: 0, most: 1 }),
    'imagenet: which part of the resized image the crop keeps',
    0.875,
  ),
  maxPixels: count('larger images are refused before they are decoded', 50_000_000),
})

type Reading = Output<typeof imageOptions>

/** Reads a JPEG, PNG or WebP image, upright, in the channels and the size wanted. */
export async function readImage(file: string | Uint8Array, options: ImageOptions = {}): Promise<Image> {
  const reading = parseOptions('readImage', imageOptions, options)
  checkReading('readImage', reading)
  return readImageAs(file, reading)
}

/** Refuses options that do not fit together. */
export function checkReading(owner: string, { size, resize = 'none', maxPixels }: Reading): void {
  const extent = extentOf(size)
  if (extent === undefined) {
    if (resize === 'none') return
    throw new ZerothError('invalid-option', `${owner}.size is required for resize ${show(resize)}`)
  }
  if (extent.height * extent.width <= maxPixels) return
  const wanted = `${extent.height} x ${extent.width}`
  throw new ZerothError('invalid-option', `${owner}.size must be at most ${maxPixels} pixels, got ${wanted}`)
}

/** The size wanted, where one is. */
export function extentOf(size: Reading['size']): Extent | undefined {
  return typeof size === 'number' ? { height: size, width: size } : size
}

/** Reads an image with options that were checked before. */
export async function readImageAs(file: string | Uint8Array, reading: Reading): Promise<Image> {
  const opened = await openImage(file, reading.maxPixels)
  const raster = await decodeImage(opened, reading.channels)
  const { shape, bytes } = fitted(opened.where, raster, reading)
  return fromBytes(bytes, shape)
}

function fitted(where: string, raster: Raster, { size, resize = 'imagenet', cropFraction }: Reading): Raster {
  const extent = extentOf(size)
  if (extent === undefined) return raster
  if (resize === 'stretch') return stretch(raster, extent)
  if (resize === 'imagenet') return coverAndCrop(raster, extent, cropFraction)
  const { height, width } = raster.shape
  if (height === extent.height && width === extent.width) return raster
  throw dataError(where, `must be ${extent.height} high and ${extent.width} wide, is ${height} and ${width}`)
}
