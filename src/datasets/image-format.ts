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
