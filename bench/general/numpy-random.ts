/**
 * The uniform numbers of numpy.random.default_rng(seeds): a SeedSequence feeds PCG64 (XSL-RR). Starts that were drawn
 * with NumPy when peers were first measured stay the same with it.
 */
export function numpyUniforms(seeds: readonly number[], count: number, lower: number, upper: number): Float64Array {
  const [a, b, c, d] = seedWords(seeds) as [bigint, bigint, bigint, bigint]
  const increment = (((c << 64n) | d) << 1n) | 1n
  let state = 0n
  const step = (): void => {
    state = (state * 0x2360ed051fc65da44385df649fccf645n + increment) & mask128
  }
  step()
  state = (state + ((a << 64n) | b)) & mask128
  step()
  return Float64Array.from({ length: count }, () => {
    step()
    const mixed = (state >> 64n) ^ (state & mask64)
    const turn = state >> 122n
    const word = ((mixed >> turn) | (mixed << (64n - turn))) & mask64
    return lower + (upper - lower) * (Number(word >> 11n) / 2 ** 53)
  })
}

const mask64 = (1n << 64n) - 1n
const mask128 = (1n << 128n) - 1n

/** SeedSequence(seeds).generate_state(4, uint64) for at most four seeds below 2^32. */
function seedWords(seeds: readonly number[]): bigint[] {
  const hash = hasher(0x43b0d7e5, 0x931e8875)
  const pool = Array.from({ length: 4 }, (_, i) => hash(seeds[i] ?? 0))
  for (let from = 0; from < 4; from++) {
    for (let to = 0; to < 4; to++) {
      if (from !== to) pool[to] = mix(pool[to] as number, hash(pool[from] as number))
    }
  }
  const draw = hasher(0x8b51f9dd, 0x58f38ded)
  const words = Array.from({ length: 8 }, (_, i) => BigInt(draw(pool[i % 4] as number)))
  return Array.from({ length: 4 }, (_, i) => (words[2 * i] as bigint) | ((words[2 * i + 1] as bigint) << 32n))
}

/** A hash whose constant changes with every use. */
function hasher(start: number, factor: number): (value: number) => number {
  let constant = start
  return (value) => {
    const mixed = value ^ constant
    constant = Math.imul(constant, factor)
    return folded(Math.imul(mixed, constant))
  }
}

function mix(x: number, y: number): number {
  return folded(Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y))
}

function folded(value: number): number {
  return (value ^ (value >>> 16)) >>> 0
}
