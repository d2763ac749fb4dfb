import { writeFile } from 'node:fs/promises'
import { decode, encode } from 'fast-png'
import { fileError } from './data-file.ts'
import type { Picture } from './dataset.ts'
import { toBytes } from './pixels.ts'
import type { Samples } from './raster.ts'

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
  await writeFile(file, bytes).catch((error: unknown) => {
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
