import { writeFile } from 'node:fs/promises'
import { decode, encode } from 'fast-png'
import { fileError } from './data-file.ts'
import type { Picture } from './dataset.ts'
import { toBytes } from './pixels.ts'
import type { Samples } from './raster.ts'

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

/** What the header of a PNG image says, in the words of sharp. */
interface PlainHeader {
  readonly width: number
  readonly height: number
  readonly space: 'b-w' | 'grey16' | 'srgb' | 'rgb16'
  readonly depth: 'uchar' | 'ushort'
  readonly hasAlpha: boolean
}

/** Where the header of a PNG image holds its numbers. */
const at = { width: 16, height: 20, bits: 24, colors: 25 }

/**
 * The header of a PNG image that needs no more than its own bytes: 8 or 16 bits, grey or color, with opacity or without. For
 * palettes, fewer bits, a transparent color or a rotation there is sharp: then undefined.
 */
export function plainPngHeader(bytes: Uint8Array): PlainHeader | undefined {
  if (bytes.length <= at.colors || ['tRNS', 'eXIf'].some((name) => holdsChunk(bytes, name))) return undefined
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
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let i = 8; i + 8 <= bytes.length; i += 12 + view.getUint32(i)) {
    const found = String.fromCharCode(...bytes.subarray(i + 4, i + 8))
    if (found === name) return true
    if (found === 'IDAT') return false
  }
  return false
}

const kept = new Set(['tRNS', 'eXIf'])
const maxExif = 0x10000
const signatureLength = 8
const frameLength = 12

/**
 * A PNG file with only those chunks that say what it looks like and which way is up: the others may hold texts and
 * profiles that unpack to a thousand times their size. A file whose chunks do not fit together stays as it is.
 */
export function essentialPng(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts = [bytes.subarray(0, signatureLength)]
  let at = signatureLength
  while (at + frameLength <= bytes.length) {
    const end = at + frameLength + view.getUint32(at)
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    if (isEssential(type, end - at)) parts.push(bytes.subarray(at, end))
    at = end
    if (type === 'IEND') break
  }
  return at <= bytes.length ? Buffer.concat(parts) : bytes
}

/** Types that begin with a capital are those without which the pixels make no sense. */
function isEssential(type: string, length: number): boolean {
  return /^[A-Z]/.test(type) || (kept.has(type) && length <= maxExif)
}
