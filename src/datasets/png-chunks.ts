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
