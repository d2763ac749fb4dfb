import { randomUniform } from '../kernels/random.ts'

/** Who draws: rows of other numbers belong to others who draw coordinates. */
const row = 2

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
    const u = randomUniform({ seed, iteration: round, row }, 'coordinates', i)
    // A race: small times are as likely as those of -log(1 - u), without a logarithm that differs between platforms.
    finish[i] = u / (1 - u) / prospect(i)
  }
  const order = Uint32Array.from({ length: count }, (_, i) => i)
  return order.sort((a, b) => (finish[a] as number) - (finish[b] as number) || a - b)
}
