import type { Begin, Memory, Span } from '../core/types.ts'
import { randomUniform } from '../kernels/random.ts'

/** In which order slopes are taken along the vectors of a basis: all once in a round. */
export interface SlopeOrder {
  readonly memory: Memory
  /** How often every vector was used. */
  readonly round: number
  /** The vector that comes `ahead` after the last one used. */
  vectorAt(ahead: number): number
  /** Told what was found along the vector that came `ahead`. */
  found(ahead: number, slope: number): void
  /** The next `count` vectors have been used. */
  advance(count: number): void
}

/** The row of the random numbers that order the vectors: other rows draw coordinates elsewhere. */
const orderRow = 2

/** A random order, in which vectors that promise more tend to come earlier; another one in every round. */
export function inRounds({ seed }: Begin, span: Span): SlopeOrder {
  const place = { round: 0, next: 0 }
  const prospect = (index: number): number => span.prospect?.(index) ?? 1
  let order: { readonly round: number; readonly vectors: Uint32Array } = { round: -1, vectors: new Uint32Array(0) }
  return {
    memory: { state: place },
    get round() {
      return place.round
    },
    vectorAt(ahead) {
      const far = place.next + ahead
      const round = place.round + Math.floor(far / span.dim)
      if (order.round !== round) order = { round, vectors: promisingOrder(seed, round, span.dim, prospect) }
      return order.vectors[far % span.dim] as number
    },
    found: () => undefined,
    advance(count) {
      const next = place.next + count
      place.round += Math.floor(next / span.dim)
      place.next = next % span.dim
    },
  }
}

/**
 * The numbers below `count` in a random order in which those that promise more tend to come earlier: the first place goes
 * to each with a probability in proportion to its prospect, nearly. Depends on the seed, the round and the prospects alone.
 */
export function promisingOrder(
  seed: number,
  round: number,
  count: number,
  prospect: (index: number) => number,
): Uint32Array {
  const finish = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const u = randomUniform({ seed, iteration: round, row: orderRow }, 'coordinates', i)
    // A race: small times are as likely as those of -log(1 - u), without a logarithm that differs between platforms.
    finish[i] = u / (1 - u) / prospect(i)
  }
  const order = Uint32Array.from({ length: count }, (_, i) => i)
  return order.sort((a, b) => (finish[a] as number) - (finish[b] as number) || a - b)
}
