/** Values of the rows that were used last, by their bits and their sample. */
export interface RowCache {
  get(hash: number, point: Float64Array, sample: number): number | undefined
  /** Keeps a copy of the point. */
  set(hash: number, point: Float64Array, sample: number, value: number): void
}

interface Entry {
  readonly point: Float64Array
  readonly sample: number
  readonly value: number
}

/**
 * Remembers up to `capacity` rows and forgets first what was not used for longest. A hash only says where to look: rows
 * are compared bit by bit, and of two with the same hash the later one takes the place.
 */
export function rowCache(capacity: number): RowCache {
  // A Map keeps the order of insertion: what is used is inserted anew, so the first is the one to forget.
  const entries = new Map<number, Entry>()
  return {
    get(hash, point, sample) {
      const entry = entries.get(hash)
      if (entry === undefined || entry.sample !== sample || !sameBits(entry.point, point)) return undefined
      entries.delete(hash)
      entries.set(hash, entry)
      return entry.value
    },
    set(hash, point, sample, value) {
      if (capacity < 1) return
      entries.delete(hash)
      if (entries.size >= capacity) entries.delete(entries.keys().next().value as number)
      entries.set(hash, { point: point.slice(), sample, value })
    },
  }
}

/** Whether two points are the same 64 bits in every coordinate: 0 and -0 are not. */
export function sameBits(a: Float64Array, b: Float64Array): boolean {
  const [left, right] = [wordsOf(a), wordsOf(b)]
  for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return false
  return left.length === right.length
}

/** 53 bits of a point and its sample, mixed as MurmurHash3 does, in two lanes with constants of their own. */
export function rowHash(point: Float64Array, sample: number): number {
  let high = mix(0x2f0b4c47, sample, 0xcc9e2d51, 0x1b873593)
  let low = mix(0x16a1f6d3, sample, 0x85ebca6b, 0xc2b2ae35)
  const words = wordsOf(point)
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as number
    high = mix(high, word, 0xcc9e2d51, 0x1b873593)
    low = mix(low, word, 0x85ebca6b, 0xc2b2ae35)
  }
  return (scramble(high) >>> 0) * 2097152 + (scramble(low) >>> 11)
}

function wordsOf(point: Float64Array): Int32Array {
  return new Int32Array(point.buffer, point.byteOffset, 2 * point.length)
}

function mix(hash: number, word: number, first: number, second: number): number {
  let k = Math.imul(word, first)
  k = Math.imul((k << 15) | (k >>> 17), second)
  const mixed = hash ^ k
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0
}

function scramble(hash: number): number {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
