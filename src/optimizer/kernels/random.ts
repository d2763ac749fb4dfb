/** Four 32-bit words in, four out. */
type Block = Uint32Array

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

/** What a random word is for: streams of different purposes never meet, whatever their rows. */
export const purposes = { directions: 0, samples: 1, coordinates: 2, data: 3, noise: 4, subspaces: 5 } as const
export type Purpose = keyof typeof purposes

/** The address of a row of random numbers; with an index it determines each of them. */
export interface RandomRow {
  readonly seed: number
  readonly iteration: number
  readonly row: number
}

/**
 * Fills `block` with the four random words at (seed, iteration, row, purpose, lane, index).
 * Seeds are integers below 2^53: both halves enter the key.
 */
export function randomBlock(block: Block, at: RandomRow, purpose: Purpose, lane: number, index: number): void {
  block[0] = index
  block[1] = at.row
  block[2] = at.iteration
  block[3] = (purposes[purpose] << 8) | lane
  philox(block, at.seed >>> 0, Math.floor(at.seed / 4294967296))
}

const scratch = new Uint32Array(4)

/** One random 32-bit word. */
export function randomWord(at: RandomRow, purpose: Purpose, index: number): number {
  randomBlock(scratch, at, purpose, 0, index)
  return scratch[0] as number
}

/** A uniform number in [0, 1) with 53 random bits. */
export function randomUniform(at: RandomRow, purpose: Purpose, index: number): number {
  randomBlock(scratch, at, purpose, 0, index)
  return ((scratch[0] as number) * 2097152 + ((scratch[1] as number) >>> 11)) / 9007199254740992
}

/**
 * A uniform integer in [0, below), below 2^32. The 53-bit product keeps the bias under 2^-21 of a share,
 * and needs no rejection loop, so the cost and the address stay fixed.
 */
export function randomInteger(at: RandomRow, purpose: Purpose, index: number, below: number): number {
  return Math.floor(randomUniform(at, purpose, index) * below)
}

/** A word of which every bit depends on every bit of the given one (the finalizer of MurmurHash3). */
export function scrambled(word: number): number {
  let h = word | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
