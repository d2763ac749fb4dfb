import { show, ZerothError } from '../../optimizer/core/errors.ts'
import type { ImageShape, Vector } from '../../optimizer/core/types.ts'
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
function checkShape(shape: ImageShape, values: ArrayLike<number>): ImageShape {
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

/** A change of an image made visible, and what its black and white stand for. */
export interface PerturbationPicture extends Picture {
  /** The largest change of a pixel: white is an increase by this much, black a decrease. */
  readonly largest: number
}

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

/**
 * A change of an image, scaled for the eye: grey where nothing changes, brighter where a value grows and darker where it
 * shrinks, by its share of the largest change.
 */
export function perturbationPicture(delta: Vector, shape: ImageShape): PerturbationPicture {
  checkShape(shape, delta)
  const largest = largestChange(delta)
  const scale = largest === 0 ? 1 : largest
  return { shape, pixels: Float64Array.from(delta, (change) => 0.5 + change / scale / 2), largest }
}

function largestChange(delta: Vector): number {
  let largest = 0
  for (let i = 0; i < delta.length; i++) {
    const change = Math.abs(delta[i] as number)
    if (!Number.isFinite(change)) {
      throw new ZerothError('invalid-data', `a change of an image must be finite, got ${delta[i]} at value ${i}`)
    }
    if (change > largest) largest = change
  }
  return largest
}

/** Bytes as files and canvases hold them: row by row, the channels of a pixel side by side. */
export interface Raster {
  readonly shape: ImageShape
  readonly bytes: Uint8Array
}

/** Samples of 8 or 16 bits with 1 to 4 channels, of which the last is opacity where their number is even. */
export interface Samples {
  readonly shape: ImageShape
  readonly values: Uint8Array | Uint16Array
}

/** Samples as bytes on a white ground, in grey or color. */
export function toRaster(samples: Samples, channels: 1 | 3): Raster {
  const flat = flatten(samples)
  if (flat.shape.channels === channels) return flat
  return channels === 1 ? toGrey(flat) : toColor(flat)
}

/** Leaves out opacity by painting on white; 16 bits are rounded to 8. */
function flatten({ shape, values }: Samples): Raster {
  const stride = shape.channels
  if (values instanceof Uint8Array && stride % 2 === 1) return { shape, bytes: values }
  const channels = stride <= 2 ? 1 : 3
  const top = values instanceof Uint16Array ? 65535 : 255
  const bytes = new Uint8Array(shape.height * shape.width * channels)
  for (let from = 0, to = 0; to < bytes.length; from += stride) {
    const opacity = stride % 2 === 0 ? (values[from + channels] as number) : top
    for (let channel = 0; channel < channels; channel++) {
      const painted = (values[from + channel] as number) * opacity + top * (top - opacity)
      // Stored in a byte, it loses its fraction: this is rounding.
      bytes[to++] = (255 * painted) / (top * top) + 0.5
    }
  }
  return { shape: { ...shape, channels }, bytes }
}

/** Luma as in ITU-R BT.601, 0.299 R + 0.587 G + 0.114 B, in the integers that Pillow uses. */
function toGrey({ shape, bytes }: Raster): Raster {
  const grey = new Uint8Array(shape.height * shape.width)
  for (let to = 0, from = 0; to < grey.length; to++, from += 3) {
    const [red, green, blue] = [bytes[from], bytes[from + 1], bytes[from + 2]] as [number, number, number]
    grey[to] = (19595 * red + 38470 * green + 7471 * blue + 0x8000) >> 16
  }
  return { shape: { ...shape, channels: 1 }, bytes: grey }
}

function toColor({ shape, bytes }: Raster): Raster {
  const color = new Uint8Array(3 * bytes.length)
  bytes.forEach((byte, i) => color.fill(byte, 3 * i, 3 * i + 3))
  return { shape: { ...shape, channels: 3 }, bytes: color }
}

/** Height and width of an image. */
export interface Extent {
  readonly height: number
  readonly width: number
}

/** A rectangle of an image. */
export interface Crop extends Extent {
  readonly top: number
  readonly left: number
}

/** Where each wanted output pixel takes its weights from: `count` inputs from `first` on. */
interface Taps {
  readonly first: Int32Array
  readonly count: Int32Array
  readonly weights: Int32Array
  readonly stride: number
}

/** Resizes the whole image, whatever that does to its proportions. */
export function stretch(image: Raster, size: Extent): Raster {
  return resample(image, size, { top: 0, left: 0, ...size })
}

/**
 * The ImageNet convention: the image is resized, keeping its proportions, until it just covers `size` divided by
 * `cropFraction` (256 for 224 and 0.875), and the middle is cut out.
 */
export function coverAndCrop(image: Raster, size: Extent, cropFraction: number): Raster {
  const full = covering(image.shape, {
    height: Math.round(size.height / cropFraction),
    width: Math.round(size.width / cropFraction),
  })
  const crop: Crop = {
    top: halfOf(full.height - size.height),
    left: halfOf(full.width - size.width),
    height: size.height,
    width: size.width,
  }
  return resample(image, full, crop)
}

/** The smallest size of the image's proportions that covers the box; the longer side is rounded down. */
function covering(image: Extent, box: Extent): Extent {
  return image.width * box.height <= image.height * box.width
    ? { height: Math.floor((box.width * image.height) / image.width), width: box.width }
    : { height: box.height, width: Math.floor((box.height * image.width) / image.height) }
}

/** Half of a whole number, rounded to even: where torchvision's CenterCrop begins. */
function halfOf(difference: number): number {
  return difference % 2 === 0 ? difference / 2 : 2 * Math.round(difference / 4)
}

const precision = 22
const half = 1 << (precision - 1)

/**
 * A rectangle of the image resized to `full`: bilinear, with the triangle widened when shrinking so that no pixel is
 * skipped. The integers of Pillow's BILINEAR, across and then down, hence its bytes. (libvips moves an enlarged image by
 * half a pixel.) Only the rectangle is computed, so that a long thin image costs no more than a square one.
 */
export function resample(image: Raster, full: Extent, crop: Crop): Raster {
  const { channels, height, width } = image.shape
  const down = taps(height, full.height, crop.top, crop.height)
  const across = taps(width, full.width, crop.left, crop.width)
  const firstRow = down.first[0] as number
  const rows = (down.first[crop.height - 1] as number) + (down.count[crop.height - 1] as number) - firstRow
  const narrow = new Uint8Array(rows * crop.width * channels)
  const row = width * channels
  for (let y = 0; y < rows; y++) {
    weigh(image.bytes, (firstRow + y) * row, channels, channels, across, narrow, y * crop.width * channels, channels)
  }
  const bytes = new Uint8Array(crop.height * crop.width * channels)
  const line = crop.width * channels
  for (let x = 0; x < line; x += channels) {
    weigh(narrow, x - firstRow * line, line, channels, down, bytes, x, line)
  }
  return { shape: { channels, height: crop.height, width: crop.width }, bytes }
}

/** One line of pixels `step` bytes apart, read from `start`, becomes one of pixels `toStep` apart, written to `at`. */
function weigh(
  from: Uint8Array,
  start: number,
  step: number,
  channels: number,
  { first, count, weights, stride }: Taps,
  to: Uint8Array,
  at: number,
  toStep: number,
): void {
  for (let out = 0; out < first.length; out++) {
    const taps = count[out] as number
    const begin = start + (first[out] as number) * step
    for (let channel = 0; channel < channels; channel++) {
      let sum = half
      for (let tap = 0, i = begin + channel; tap < taps; tap++, i += step) {
        sum += (from[i] as number) * (weights[out * stride + tap] as number)
      }
      to[at + out * toStep + channel] = Math.min(255, sum >> precision)
    }
  }
}

/** The weights of the outputs `start` to `start + length` when `from` pixels become `to`. */
function taps(from: number, to: number, start: number, length: number): Taps {
  const scale = from / to
  const support = Math.max(scale, 1)
  const stride = 2 * Math.ceil(support) + 1
  const first = new Int32Array(length)
  const count = new Int32Array(length)
  const weights = new Int32Array(length * stride)
  const exact = new Float64Array(stride)
  for (let out = 0; out < length; out++) {
    const center = (start + out + 0.5) * scale
    const begin = Math.max(0, Math.trunc(center - support + 0.5))
    const taps = Math.min(from, Math.trunc(center + support + 0.5)) - begin
    let sum = 0
    for (let tap = 0; tap < taps; tap++) {
      exact[tap] = Math.max(0, 1 - Math.abs((begin + tap - center + 0.5) / support))
      sum += exact[tap] as number
    }
    first[out] = begin
    count[out] = taps
    for (let tap = 0; tap < taps; tap++) {
      weights[out * stride + tap] = Math.trunc(0.5 + ((exact[tap] as number) / sum) * 2 * half)
    }
  }
  return { first, count, weights, stride }
}

/** The formats that are read. Nothing else ever reaches a decoder. */
export const imageFormats = ['JPEG', 'PNG', 'WebP'] as const

export type ImageFormat = (typeof imageFormats)[number]

interface Signature {
  readonly name: string
  /** Bytes as Latin-1 text. */
  readonly text: string
  readonly at?: number
}

const signatures: readonly Signature[] = [
  { name: 'JPEG', text: '\xff\xd8\xff' },
  { name: 'PNG', text: '\x89PNG\r\n\x1a\n' },
  { name: 'WebP', text: 'WEBP', at: 8 },
  { name: 'GIF', text: 'GIF8' },
  { name: 'TIFF', text: 'II*\0' },
  { name: 'TIFF', text: 'MM\0*' },
  { name: 'TIFF', text: 'II+\0' },
  { name: 'TIFF', text: 'MM\0+' },
  { name: 'AVIF', text: 'ftypavi', at: 4 },
  { name: 'HEIF', text: 'ftyp', at: 4 },
  { name: 'JPEG XL', text: '\xff\x0a' },
  { name: 'JPEG XL', text: 'JXL ', at: 4 },
  { name: 'JPEG 2000', text: 'jP  ', at: 4 },
  { name: 'BMP', text: 'BM' },
  { name: 'PDF', text: '%PDF' },
  { name: 'PostScript', text: '%!PS' },
  { name: 'Photoshop', text: '8BPS' },
  { name: 'NumPy', text: '\x93NUMPY' },
  { name: 'gzip', text: '\x1f\x8b' },
  { name: 'zip', text: 'PK\x03\x04' },
]

/** What the bytes are, judged by how they begin and not by a file's name: a known format, or a description. */
export function imageFormat(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'nothing (0 bytes)'
  const start = latin1(bytes.subarray(0, 1024))
  const found = signatures.find(({ text, at = 0 }) => start.startsWith(text, at))
  return found?.name ?? markup(start) ?? `bytes that begin with ${hex(bytes.subarray(0, 4))}`
}

/** Whether a format is among those that are read. */
export function isImageFormat(format: string): format is ImageFormat {
  return (imageFormats as readonly string[]).includes(format)
}

function markup(start: string): string | undefined {
  if (!/^(\xef\xbb\xbf)?\s*</.test(start)) return undefined
  if (/<svg[\s>]/i.test(start)) return 'SVG'
  return /<!doctype html|<html[\s>]/i.test(start) ? 'HTML' : 'XML'
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
}

const startOfScan = 0xda
const endOfImage = 0xd9

/**
 * How many passes over its pixels a JPEG asks for. Each costs a few bytes of file and the time of a whole image, so that
 * pixels alone do not say what decoding will cost.
 */
export function jpegScans(bytes: Uint8Array): number {
  let scans = 0
  let at = 2
  while (at + 4 <= bytes.length) {
    const marker = bytes[at + 1] as number
    if (bytes[at] !== 0xff || !isMarker(marker)) {
      at = nextMarker(bytes, at + 1)
      continue
    }
    if (marker === endOfImage) break
    if (marker === startOfScan) scans++
    at += 2 + Math.max(2, 256 * (bytes[at + 2] as number) + (bytes[at + 3] as number))
  }
  return scans
}

/** The next place where a segment may begin: coded pixels hold 0xff only before 0 and restart marks. */
function nextMarker(bytes: Uint8Array, from: number): number {
  const at = bytes.indexOf(0xff, from)
  return at < 0 ? bytes.length : at
}

function isMarker(byte: number): boolean {
  return byte !== 0 && byte !== 0xff && !(byte >= 0xd0 && byte <= 0xd8)
}
