import { loadSharp } from './image-library.ts'
import { brokenImage, type OpenImage } from './open-image.ts'
import { decodePlainPng } from './plain-png.ts'
import { type Raster, type Samples, toRaster } from './raster.ts'

/** All pixels of an opened image, upright, in grey or color; left out, `channels` are the image's own. */
export async function decodeImage(image: OpenImage, channels?: 1 | 3 | undefined): Promise<Raster> {
  const samples = await decode(image).catch((error: unknown) => {
    throw brokenImage(image.where, image.format, error)
  })
  return toRaster(samples, channels ?? (image.grey ? 1 : 3))
}

async function decode({ bytes, bits, maxPixels, ...image }: OpenImage): Promise<Samples> {
  const sharp = await loadSharp()
  if (sharp === undefined) return decodePlainPng(bytes)
  // Profiles are ignored, as the loaders do that networks were trained with: a byte in the file is a byte in the image.
  const { data, info } = await sharp(bytes, { limitInputPixels: maxPixels, ignoreIcc: true })
    .autoOrient()
    .toColourspace(colorSpace(image.grey, bits, image.opacity))
    .raw({ depth: bits === 16 ? 'ushort' : 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const values = bits === 16 ? new Uint16Array(data.buffer, data.byteOffset, data.byteLength / 2) : data
  return { shape: { channels: info.channels, height: info.height, width: info.width }, values }
}

/** sharp drops the opacity of 8-bit grey: it stays if all three colors are asked for, which are equal. */
function colorSpace(grey: boolean, bits: 8 | 16, opacity: boolean): string {
  if (bits === 16) return grey ? 'grey16' : 'rgb16'
  return grey && !opacity ? 'b-w' : 'srgb'
}
