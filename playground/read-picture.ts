import type { ImageShape } from '../src/core/types.ts'
import { imageFormat, imageFormats, isImageFormat } from '../src/datasets/image-format.ts'
import { fromBytes } from '../src/datasets/pixels.ts'
import { type Samples, toRaster } from '../src/datasets/raster.ts'
import { coverAndCrop, stretch } from '../src/datasets/resample.ts'

/** How a picture of another size becomes one of the network's. */
export type Fit = 'imagenet' | 'stretch'

/** Which part of the resized image the crop keeps, as on the command line. */
const cropFraction = 0.875

/** Larger ones are refused: the limits of the library. */
const most = { pixels: 50_000_000, bytes: 464_000_000 }

/** Decodes a picture, upright, by what the browser has for that. */
export async function decodePicture(file: File): Promise<Samples> {
  if (file.size > most.bytes) {
    throw new Error(`${file.name} has ${file.size} bytes: pictures of at most ${most.bytes} bytes are read`)
  }
  const format = imageFormat(new Uint8Array(await file.arrayBuffer()))
  if (!isImageFormat(format)) {
    const allowed = `allowed are ${imageFormats.join(', ')}`
    throw new Error(`${file.name} is not an image that can be read: found ${format}, ${allowed}`)
  }
  // Colour profiles are ignored, as the loaders do that networks were trained with.
  const decoding = { colorSpaceConversion: 'none', premultiplyAlpha: 'none' } as const
  const bitmap = await createImageBitmap(file, decoding).catch(() => undefined)
  if (bitmap === undefined) throw new Error(`${file.name}: the ${format} image is damaged, or too large to decode`)
  const { width, height } = bitmap
  if (width * height > most.pixels) {
    const size = `${width} x ${height} = ${width * height}`
    throw new Error(`${file.name} has ${size} pixels: at most ${most.pixels} are allowed`)
  }
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
  if (context === null) throw new Error(`${file.name}: this browser gives no canvas to decode it on`)
  context.drawImage(bitmap, 0, 0)
  bitmap.close()
  const { data } = context.getImageData(0, 0, width, height)
  return { shape: { channels: 4, height, width }, values: new Uint8Array(data.buffer) }
}

/** The pixels of a picture in the shape that a network takes: as they are where the size is right. */
export function pixelsFor(samples: Samples, { channels, height, width }: ImageShape, fit: Fit): Float32Array {
  if (channels !== 1 && channels !== 3) {
    throw new Error(`the network takes images of ${channels} channels: pictures have 1 or 3`)
  }
  const raster = toRaster(samples, channels)
  const hasSize = raster.shape.height === height && raster.shape.width === width
  const size = { height, width }
  const sized = hasSize ? raster : fit === 'stretch' ? stretch(raster, size) : coverAndCrop(raster, size, cropFraction)
  return fromBytes(sized.bytes, sized.shape).pixels
}
