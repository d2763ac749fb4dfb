import { show, ZerothError } from '../core/errors.ts'
import { loadOptional, missingPackage } from '../core/optional-package.ts'
import { dataError, shortReason } from './data-error.ts'
import { readBytes } from './data-file.ts'
import { type ImageFormat, imageFormat, imageFormats, isImageFormat, jpegScans } from './image-format.ts'
import { decodePlainPng, essentialPng, plainPngHeader } from './png.ts'
import { type Raster, type Samples, toRaster } from './raster.ts'

/** An image whose header was read and found acceptable. */
interface OpenImage {
  /** Its file, for messages. */
  readonly where: string
  readonly bytes: Uint8Array
  readonly format: ImageFormat
  /** As stored: before a rotation that its EXIF data may ask for. */
  readonly height: number
  readonly width: number
  readonly grey: boolean
  readonly opacity: boolean
  readonly bits: 8 | 16
  readonly maxPixels: number
}

interface Header {
  readonly width: number
  readonly height: number
  readonly space: string
  readonly depth: string
  readonly hasAlpha: boolean
}

const maxScans = 100

/** Reads an image's header and refuses what is not an image, or too large, before anything is decoded. */
export async function openImage(file: string | Uint8Array, maxPixels: number): Promise<OpenImage> {
  const { where, bytes: given } = await bytesOf(file, maxPixels)
  const format = imageFormat(given)
  if (!isImageFormat(format)) {
    throw dataError(where, `is not an image that can be read: found ${format}, allowed are ${imageFormats.join(', ')}`)
  }
  const bytes = format === 'PNG' ? essentialPng(given) : given
  const { width, height, space, depth, hasAlpha: opacity } = await header(where, bytes, format)
  if (width * height > maxPixels) {
    const size = `${width} x ${height} = ${width * height}`
    throw dataError(where, `the ${format} image has ${size} pixels, at most ${maxPixels} are allowed (maxPixels)`)
  }
  const scans = format === 'JPEG' ? jpegScans(bytes) : 1
  if (scans > maxScans) throw dataError(where, `the JPEG image has ${scans} scans, at most ${maxScans} are allowed`)
  const grey = space === 'b-w' || space === 'grey16'
  return { where, bytes, format, height, width, grey, opacity, bits: depth === 'ushort' ? 16 : 8, maxPixels }
}

/** The same words for every image that turns out to be broken. */
function brokenImage(where: string, format: ImageFormat, error: unknown): ZerothError {
  return dataError(where, `the ${format} image is damaged (${shortReason(error)})`, error)
}

async function bytesOf(file: unknown, maxPixels: number): Promise<{ where: string; bytes: Uint8Array }> {
  // No image within the limit needs more: 4 channels of 16 bits, and room for what cameras add.
  const limit = 8 * maxPixels + 0x4000000
  if (typeof file === 'string') return { where: file, bytes: await readBytes(file, limit) }
  if (file instanceof Uint8Array) return { where: `an image of ${file.length} bytes`, bytes: file }
  throw new ZerothError('invalid-option', `an image is read from a file's path or a Uint8Array, got ${show(file)}`)
}

async function header(where: string, bytes: Uint8Array, format: ImageFormat): Promise<Header> {
  const plain = (await loadSharp()) === undefined && format === 'PNG' ? plainPngHeader(bytes) : undefined
  if (plain !== undefined) return plain
  const sharp = await needSharp(`a ${format} image such as ${where}`)
  try {
    return await sharp(bytes, { limitInputPixels: false }).metadata()
  } catch (error) {
    throw brokenImage(where, format, error)
  }
}

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

type Sharp = typeof import('sharp')['default']

/** The library that decodes images, where it is installed. */
async function loadSharp(): Promise<Sharp | undefined> {
  return (await loadOptional('sharp', () => import('sharp')))?.default
}

/** The same where there is no other way to read an image; `use` says for what. */
async function needSharp(use: string): Promise<Sharp> {
  const sharp = await loadSharp()
  if (sharp === undefined) throw await missingPackage(use, 'sharp')
  return sharp
}

/** The version of libvips that decodes images here: pixels of JPEG files may differ between versions. */
export async function imageLibrary(): Promise<string> {
  return (await needSharp('a JPEG image')).versions.vips
}
