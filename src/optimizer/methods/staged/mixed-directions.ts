import type { Vector } from '../../core/types.ts'
import { type RandomRow, randomBlock, randomWord, scrambled } from '../../kernels/random.ts'
import type { Coordinates } from './coordinates.ts'
import type { Batch } from './staged-search.ts'

/** Some directions of a sweep, each a few coordinates with their amplitudes. */
export interface Directions {
  readonly count: number
  /** Where the entries of each direction begin, and where those of the last one end. */
  readonly starts: Int32Array
  readonly coordinates: Int32Array
  readonly amplitudes: Float64Array
}

/** One pass through as many orthonormal directions as there are coordinates. */
interface Sweep {
  readonly seed: number
  readonly number: number
  /** How many coordinates are mixed: a power of 2. */
  readonly group: number
  /** Length 1 on each coordinate. */
  readonly sizes: Vector
}

/**
 * The directions `first` ... `first + count - 1` of a sweep. Coordinates in random order and with random signs are cut into
 * groups, and each group is rotated by a Hadamard matrix; the coordinates that make no group stay single. So directions are
 * orthonormal and sparse: they need no memory, and the curvature along each is the mean over a group, however uneven the
 * coordinates are. Neighbours in the order belong to different groups.
 */
export function mixedDirections({ seed, number, group, sizes }: Sweep, first: number, count: number): Directions {
  const dim = sizes.length
  const at = { seed, iteration: number, row: 1 }
  const order = shuffled(dim, at)
  const signs = randomWord(at, 'coordinates', 1)
  const groups = Math.floor(dim / group)
  const starts = new Int32Array(count + 1)
  const coordinates = new Int32Array(count * group)
  const amplitudes = new Float64Array(count * group)
  const share = 1 / Math.sqrt(group)
  let end = 0
  for (let j = 0; j < count; j++) {
    const isSingle = first + j >= groups * group
    const from = isSingle ? first + j : ((first + j) % groups) * group
    const row = Math.floor((first + j) / groups)
    for (let k = 0; k < (isSingle ? 1 : group); k++) {
      const i = order(from + k)
      const isNegative = ((scrambled(i ^ signs) & 1) ^ parity(isSingle ? 0 : k & row)) === 1
      coordinates[end] = i
      amplitudes[end++] = (isNegative ? -1 : 1) * (isSingle ? 1 : share) * (sizes[i] as number)
    }
    starts[j + 1] = end
  }
  return { count, starts, coordinates, amplitudes }
}

/** Where directions are followed from, and how. */
export interface Along {
  readonly x: Vector
  readonly directions: Directions
  /** How far to go along each. */
  readonly steps: Float64Array
  readonly central: boolean
  /** Brings a whole point into the set of the run, where that is more than bounds on coordinates. */
  readonly project: ((x: Vector) => void) | null
}

/** The points at the steps, on both sides if central: the rows 2 j and 2 j + 1 are a pair. */
export function pointsAlong(at: Coordinates, along: Along): Batch {
  const { x, directions, steps, central, project } = along
  const sides = central ? 2 : 1
  const moved = project === null ? x : x.slice()
  return {
    rows: sides * directions.count,
    write(row, into, offset) {
      const j = Math.floor(row / sides)
      const step = (steps[j] as number) * (row % sides === 0 ? 1 : -1)
      if (project === null) {
        into.set(x, offset)
        entries(at, x, directions, j, step, (i, value) => {
          into[offset + i] = value
        })
        return
      }
      moved.set(x)
      entries(at, x, directions, j, step, (i, value) => {
        moved[i] = value
      })
      project(moved)
      into.set(moved, offset)
    },
  }
}

/**
 * into += (change / |delta|^2) delta for the step delta that direction j really took, after bounds, projection and rounding;
 * lengths are measured in `sizes`. For a pair, delta leads from its second point to its first. Returns |delta|; 0 where the
 * set left next to nothing of the step, which says nothing then.
 */
export function addSlope(
  at: Coordinates,
  along: Along,
  j: number,
  change: number,
  sizes: Vector,
  into: Float64Array,
  scratch: readonly [Vector, Vector],
): number {
  const { x, directions, steps, central, project } = along
  const step = steps[j] as number
  const [ahead, behind] = scratch
  if (project !== null) {
    const batch = pointsAlong(at, along)
    batch.write(central ? 2 * j : j, ahead, 0)
    if (central) batch.write(2 * j + 1, behind, 0)
    else behind.set(x)
    return spread(ahead, behind, step, change, sizes, into)
  }
  const from = directions.starts[j] as number
  const to = directions.starts[j + 1] as number
  const moves = new Float64Array(to - from)
  let k = 0
  entries(at, x, directions, j, step, (i, value) => {
    moves[k++] = value - (x[i] as number)
  })
  k = 0
  if (central) {
    entries(at, x, directions, j, -step, (i, value) => {
      moves[k] = (moves[k++] as number) - (value - (x[i] as number))
    })
  }
  let squared = 0
  for (k = 0; k < to - from; k++) {
    const z = (moves[k] as number) / (sizes[directions.coordinates[from + k] as number] as number)
    squared += z * z
  }
  if (!isEnough(squared, step, change)) return 0
  for (k = 0; k < to - from; k++) {
    const i = directions.coordinates[from + k] as number
    into[i] = (into[i] as number) + (change / squared) * (moves[k] as number)
  }
  return Math.sqrt(squared)
}

function spread(
  ahead: Vector,
  behind: Vector,
  step: number,
  change: number,
  sizes: Vector,
  into: Float64Array,
): number {
  let squared = 0
  for (let i = 0; i < into.length; i++) {
    const z = ((ahead[i] as number) - (behind[i] as number)) / (sizes[i] as number)
    squared += z * z
  }
  if (!isEnough(squared, step, change)) return 0
  const weight = change / squared
  for (let i = 0; i < into.length; i++) {
    into[i] = (into[i] as number) + weight * ((ahead[i] as number) - (behind[i] as number))
  }
  return Math.sqrt(squared)
}

function isEnough(squared: number, step: number, change: number): boolean {
  return squared > 0.01 * step * step && Number.isFinite(change)
}

/** The coordinates of x + step u_j that differ from x, rounded and inside their bounds. */
function entries(
  { bounds, round }: Coordinates,
  x: Vector,
  { starts, coordinates, amplitudes }: Directions,
  j: number,
  step: number,
  use: (i: number, value: number) => void,
): void {
  for (let k = starts[j] as number; k < (starts[j + 1] as number); k++) {
    const i = coordinates[k] as number
    const value = round((x[i] as number) + step * (amplitudes[k] as number))
    if (bounds === undefined) use(i, value)
    else use(i, Math.min(Math.max(value, bounds.lower[i] as number), bounds.upper[i] as number))
  }
}

function parity(word: number): number {
  let p = word ^ (word >>> 16)
  p ^= p >>> 8
  p ^= p >>> 4
  p ^= p >>> 2
  return (p ^ (p >>> 1)) & 1
}

const rounds = 4

/**
 * A random order of 0 ... length - 1 that needs no memory: a Feistel network on the next power of 4, walked until it is back
 * inside (Black and Rogaway, 2002). The same address gives the same order; `length` is at most 2^32.
 */
export function shuffled(length: number, at: RandomRow): (index: number) => number {
  let half = 2
  let bits = 1
  while (half * half < length) {
    half *= 2
    bits++
  }
  const block = new Uint32Array(4)
  randomBlock(block, at, 'coordinates', 1, 0)
  const keys = Array.from({ length: rounds }, (_, i) => block[i] as number)
  const shift = 32 - bits
  const scramble = (index: number): number => {
    let left = Math.floor(index / half)
    let right = index % half
    for (const key of keys) {
      const next = left ^ (scrambled(right ^ key) >>> shift)
      left = right
      right = next
    }
    return left * half + right
  }
  return (index) => {
    let found = scramble(index)
    while (found >= length) found = scramble(found)
    return found
  }
}
