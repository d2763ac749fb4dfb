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
