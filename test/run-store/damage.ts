import type { MemoryFiles } from './memory-files.ts'

/** Numbers from 0 to 1 that a seed determines. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let word = Math.imul(state ^ (state >>> 15), 1 | state)
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word
    return ((word ^ (word >>> 14)) >>> 0) / 4294967296
  }
}

type Edit = (bytes: Uint8Array, random: () => number, other: Uint8Array) => Uint8Array

const below = (random: () => number, limit: number): number => Math.floor(random() * limit)
const join = (...parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]))

/** Ways in which files go bad. */
const edits: Readonly<Record<string, Edit>> = {
  'a bit flipped': (bytes, random) => {
    const copy = bytes.slice()
    const at = below(random, bytes.length)
    copy[at] = (copy[at] as number) ^ (1 << below(random, 8))
    return copy
  },
  'bytes overwritten': (bytes, random) => {
    const at = below(random, bytes.length)
    return bytes.map((byte, i) => (i >= at && i < at + 40 ? below(random, 256) : byte))
  },
  'a range of zeros': (bytes, random) => {
    const at = below(random, bytes.length)
    return bytes.slice().fill(0, at, at + 1 + below(random, 600))
  },
  'cut short': (bytes, random) => bytes.slice(0, below(random, bytes.length)),
  'a piece missing': (bytes, random) => {
    const at = below(random, bytes.length)
    return join(bytes.subarray(0, at), bytes.subarray(at + 1 + below(random, 300)))
  },
  'a piece doubled': (bytes, random) => {
    const at = below(random, bytes.length)
    const piece = bytes.subarray(at, at + 1 + below(random, 300))
    return join(bytes.subarray(0, at), piece, bytes.subarray(at))
  },
  'written twice': (bytes) => join(bytes, bytes),
  'garbage behind': (bytes, random) =>
    join(
      bytes,
      Uint8Array.from({ length: 50 }, () => below(random, 256)),
    ),
  'another file in its place': (_, __, other) => other.slice(),
  empty: () => new Uint8Array(0),
}

/** Damages one file of a run in one way, or takes it away; says what was done. */
export function damage(files: MemoryFiles, older: MemoryFiles, stranger: MemoryFiles, random: () => number): string {
  const pick = <T>(from: readonly T[]): T => from[below(random, from.length)] as T
  const names = files.list('run').sort()
  const name = pick(names)
  const path = `run/${name}`
  const how = pick([...Object.keys(edits), 'gone', 'as it was earlier', 'of another run'])
  if (how === 'gone') files.unlink(path)
  else if (how === 'as it was earlier' || how === 'of another run') {
    const from = how === 'of another run' ? stranger : older
    if (from.list('run').includes(name)) files.put(path, from.content(path).slice())
  } else {
    const bytes = files.content(path)
    const edited = edits[how]?.(bytes, random, files.content(`run/${pick(names)}`))
    files.put(path, bytes.length === 0 ? bytes : (edited as Uint8Array))
  }
  return `${name}: ${how}`
}
