import { decode } from 'fast-png'
import type { Samples } from './raster.ts'

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
