import { rm, writeFile } from 'node:fs/promises'
import { decode, encode } from 'fast-png'
import { show, ZerothError } from '../../optimizer/core/errors.ts'
import { loadOptional, missingPackage } from '../../optimizer/core/optional-package.ts'
import {
  count,
  type Input,
  integerFrom,
  numberWithin,
  type Output,
  oneOf,
  optional,
  parseOptions,
  type ShapeOf,
  type Table,
  table,
  union,
  withDefault,
} from '../../optimizer/core/options.ts'
import { dataError, shortReason } from './data-error.ts'
import { fileError, readBytes } from './data-file.ts'
import type { Image, Picture } from './dataset.ts'
import {
  coverAndCrop,
  type Extent,
  fromBytes,
  type ImageFormat,
  imageFormat,
  imageFormats,
  isImageFormat,
  jpegScans,
  type Raster,
  type Samples,
  stretch,
  toBytes,
  toRaster,
} from './pixels.ts'

const size = union(integerFrom(1), table({ height: integerFrom(1), width: integerFrom(1) }))

const declared = table({
  /** 1 for grey, 3 for color; the file decides if left out. */
  channels: optional(oneOf(1, 3)),
  /** Height and width of the image, or one number for both; the file decides if left out. */
  size: optional(size),
  /** imagenet: cover the size and crop the middle (default with a size); stretch; none: refuse other sizes. */
  resize: optional(oneOf('imagenet', 'stretch', 'none')),
  /** imagenet: which part of the resized image the crop keeps. Above 0 and at most 1; default 0.875. */
  cropFraction: withDefault(numberWithin({ above: 0, most: 1 }), 0.875),
  /** Larger images are refused before they are decoded. At least 1; default 50000000. */
  maxPixels: withDefault(count, 50_000_000),
})

export type ReadingShape = ShapeOf<typeof declared>

/** How image files become images. */
export const imageOptions: Table<ReadingShape> = declared

/** Options of `readImage`. */
export interface ImageOptions extends Input<typeof imageOptions> {}

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
  const samples = await decoded(image).catch((error: unknown) => {
    throw brokenImage(image.where, image.format, error)
  })
  return toRaster(samples, channels ?? (image.grey ? 1 : 3))
}

async function decoded({ bytes, bits, maxPixels, ...image }: OpenImage): Promise<Samples> {
  const sharp = await loadSharp()
  if (sharp === undefined) return decodePlainPng(bytes)
  // Profiles are ignored, as the loaders do that networks were trained with: a byte in the file is a byte in the image.
  const { data, info } = await sharp(bytes, { limitInputPixels: maxPixels, ignoreIcc: true })
    // Without an angle: as the orientation in the file says. Its other name, autoOrient, is younger than the oldest sharp that is allowed.
    .rotate()
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

/** What the header of a PNG image says, in the words of sharp. */
interface PlainHeader {
  readonly width: number
  readonly height: number
  readonly space: 'b-w' | 'grey16' | 'srgb' | 'rgb16'
  readonly depth: 'uchar' | 'ushort'
  readonly hasAlpha: boolean
}

/** The image as an 8-bit PNG, in grey or RGB: read again, it is `quantized(image)` to the bit. */
export function encodePng(image: Picture): Uint8Array {
  const { channels, height, width } = image.shape
  return encode({ data: toBytes(image), channels, height, width, depth: 8 })
}

/** Writes the image into an 8-bit PNG file. */
export async function writePng(file: string, image: Picture): Promise<void> {
  const bytes = encodePng(image)
  // Nothing is written to what has the name already: it may be a link to another file.
  await rm(file, { force: true })
    .then(() => writeFile(file, bytes, { flag: 'wx' }))
    .catch((error: unknown) => {
      throw fileError(file, 'written', error)
    })
}

/** Chunks that change how the pixels look though a decoder may skip them: a transparent color, a rotation. */
const kept = new Set(['tRNS', 'eXIf'])
const maxExif = 0x10000
const signatureLength = 8
/** Bytes of a chunk beside its data: length, type and checksum. */
const frameLength = 12

/** Where the header of a PNG image holds its numbers. */
const at = { width: 16, height: 20, bits: 24, colors: 25 }

/**
 * The header of a PNG image that needs no more than its own bytes: 8 or 16 bits, grey or color, with opacity or without. For
 * palettes, fewer bits, a transparent color or a rotation there is sharp: then undefined.
 */
export function plainPngHeader(bytes: Uint8Array): PlainHeader | undefined {
  if (bytes.length <= at.colors || [...kept].some((name) => holdsChunk(bytes, name))) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [bits, colors] = [view.getUint8(at.bits), view.getUint8(at.colors)]
  if ((bits !== 8 && bits !== 16) || ![0, 2, 4, 6].includes(colors)) return undefined
  const grey = colors === 0 || colors === 4
  return {
    width: view.getUint32(at.width),
    height: view.getUint32(at.height),
    space: bits === 16 ? (grey ? 'grey16' : 'rgb16') : grey ? 'b-w' : 'srgb',
    depth: bits === 16 ? 'ushort' : 'uchar',
    hasAlpha: colors >= 4,
  }
}

/** The samples of such an image, as sharp gives them. */
export function decodePlainPng(bytes: Uint8Array): Samples {
  const { data, channels, height, width } = decode(bytes, { checkCrc: true })
  return { shape: { channels, height, width }, values: data as Uint8Array | Uint16Array }
}

/** Whether there is a chunk of that name before the pixels. */
function holdsChunk(bytes: Uint8Array, name: string): boolean {
  for (const { type } of chunksOf(bytes)) {
    if (type === name) return true
    if (type === 'IDAT') return false
  }
  return false
}

/**
 * A PNG file with only those chunks that say what it looks like and which way is up: the others may hold texts and
 * profiles that unpack to a thousand times their size. A file whose chunks do not fit together stays as it is.
 */
export function essentialPng(bytes: Uint8Array): Uint8Array {
  const parts = [bytes.subarray(0, signatureLength)]
  let last = signatureLength
  for (const { type, from, to } of chunksOf(bytes)) {
    if (isEssential(type, to - from)) parts.push(bytes.subarray(from, to))
    last = to
  }
  return last <= bytes.length ? Buffer.concat(parts) : bytes
}

/** Types that begin with a capital are those without which the pixels make no sense. */
function isEssential(type: string, length: number): boolean {
  return /^[A-Z]/.test(type) || (kept.has(type) && length <= maxExif)
}

/** The chunks up to the end of the image, frames included; the last may claim to reach beyond the bytes. */
function* chunksOf(bytes: Uint8Array): Generator<{ type: string; from: number; to: number }, void, void> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let from = signatureLength
  let type = ''
  while (from + frameLength <= bytes.length && type !== 'IEND') {
    type = String.fromCharCode(...bytes.subarray(from + 4, from + 8))
    const to = from + frameLength + view.getUint32(from)
    yield { type, from, to }
    from = to
  }
}
