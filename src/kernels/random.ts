import { type Block, philox } from './philox.ts'

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
