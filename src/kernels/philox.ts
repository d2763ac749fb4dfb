/** Four 32-bit words in, four out. */
export type Block = Uint32Array

/**
 * Philox4x32-10 (Salmon et al., SC 2011): a keyed bijection of 128-bit counters, so that any random word can be
 * computed from its address alone. Overwrites `block` (the counter) with the random words.
 */
export function philox(block: Block, keyLow: number, keyHigh: number): void {
  let c0 = block[0] as number
  let c1 = block[1] as number
  let c2 = block[2] as number
  let c3 = block[3] as number
  let k0 = keyLow | 0
  let k1 = keyHigh | 0
  for (let round = 0; round < 10; round++) {
    const high0 = multiplyHigh(0xd2511f53, c0)
    const high1 = multiplyHigh(0xcd9e8d57, c2)
    const low0 = Math.imul(0xd2511f53, c0)
    const low1 = Math.imul(0xcd9e8d57, c2)
    c0 = high1 ^ c1 ^ k0
    c1 = low1
    c2 = high0 ^ c3 ^ k1
    c3 = low0
    k0 = (k0 + 0x9e3779b9) | 0
    k1 = (k1 + 0xbb67ae85) | 0
  }
  block[0] = c0
  block[1] = c1
  block[2] = c2
  block[3] = c3
}

/** The upper 32 bits of a 32 x 32 bit product, by 16-bit halves. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff
  const aHigh = a >>> 16
  const bLow = b & 0xffff
  const bHigh = b >>> 16
  const cross = aHigh * bLow + ((aLow * bLow) >>> 16)
  const middle = aLow * bHigh + (cross & 0xffff)
  return (aHigh * bHigh + Math.floor(cross / 65536) + Math.floor(middle / 65536)) | 0
}
