import { join } from 'node:path'
import { ZerothError } from '../../optimizer/core/errors.ts'
import { decodeCheckpointFile, encodeCheckpointFile, type KeptCheckpoint, vectorsOf } from './checkpoint-file.ts'
import { type LaterFiles, readWhole, type Steps, type StoreFiles, writingAtomically } from './run-file.ts'
import { fileNames } from './run-folder.ts'
import { VectorRoom } from './vectors.ts'

/** What a checkpoint took. */
export interface CheckpointCost {
  /** Milliseconds in which the loop stood still. */
  readonly busy: number
  readonly bytes: number
}

/** Milliseconds between checkpoints at least; and they take at most one part in so many of the time. */
const leastInterval = 2000
const share = 50
/** Bytes in a millisecond that checkpoints write at most, on average: what a resume saves is not worth more. */
const bytesPerMillisecond = 4000

/** How often checkpoints are written: those of all runs that share a pace take 2 % of the time, and 4 MB a second. */
export class CheckpointPace {
  #runs = 0

  enter(): void {
    this.#runs++
  }

  leave(): void {
    this.#runs--
  }

  /** Milliseconds from the end of a checkpoint to the next one of the same run. */
  interval({ busy, bytes }: CheckpointCost): number {
    const runs = Math.max(1, this.#runs)
    return Math.max(leastInterval, share * busy * runs, (bytes / bytesPerMillisecond) * runs)
  }
}

/** The two checkpoint files, written in turn. */
export type CheckpointName = (typeof fileNames.checkpoints)[number]

/** An undamaged checkpoint of this run. */
export interface FoundCheckpoint {
  readonly name: CheckpointName
  readonly kept: KeptCheckpoint
}

/** A checkpoint that cannot be used. */
interface BadCheckpoint {
  readonly name: CheckpointName
  readonly why: string
}

/** Bytes written in a millisecond, for a guess before the first checkpoint was timed; and how many a variable takes. */
const guessedSpeed = 200_000
const guessedBytes = 40
/** Bytes of vectors up to which a copy is kept for writing beside the loop; larger runs are written at once. */
const mostCopied = 256 << 20

/** Memory for copies, for whichever run writes next: one of its own for each would be the most that many runs need. */
const spareRooms: VectorRoom[] = []
const mostRooms = 2

/** The undamaged checkpoints of a run, newest first, and why others are not among them. */
export function readCheckpoints(
  files: StoreFiles,
  folder: string,
  id: string,
): { found: FoundCheckpoint[]; bad: BadCheckpoint[] } {
  const found: FoundCheckpoint[] = []
  const bad: BadCheckpoint[] = []
  for (const name of fileNames.checkpoints) {
    const path = join(folder, name)
    const bytes = readWhole(files, path)
    if (bytes === undefined) continue
    try {
      const kept = decodeCheckpointFile(path, bytes)
      if (kept.id === id) found.push({ name, kept })
      else bad.push({ name, why: `it belongs to run ${kept.id}` })
    } catch (error) {
      if (!(error instanceof ZerothError) || error.code !== 'invalid-checkpoint') throw error
      bad.push({ name, why: 'it is damaged' })
    }
  }
  return { found: found.sort((a, b) => b.kept.records - a.kept.records), bad }
}

/** What a writer is made with. */
export interface WriterParts {
  readonly files: StoreFiles
  readonly folder: string
  /** Which file holds the newest checkpoint. */
  readonly newest: CheckpointName | undefined
  readonly clock: () => number
  readonly pace: CheckpointPace
}

/** What must be on the disk before a checkpoint is; at once where nothing can be done later. */
type Before = (later: LaterFiles | undefined) => Steps

/** Writes checkpoints, never over the newest one, and knows when the next is due. */
export class CheckpointWriter {
  readonly #parts: WriterParts
  #newest: CheckpointName | undefined
  #cost: CheckpointCost = { busy: 0, bytes: 0 }
  #last: number
  #isOpen = false

  constructor(parts: WriterParts) {
    this.#parts = parts
    this.#newest = parts.newest
    this.#last = parts.clock()
  }

  /** Says how many variables the run has, from which the cost of the first checkpoint is guessed. */
  expect(dim: number): void {
    const { clock, pace } = this.#parts
    const bytes = dim * guessedBytes
    this.#cost = { busy: bytes / guessedSpeed, bytes }
    this.#last = clock()
    if (!this.#isOpen) pace.enter()
    this.#isOpen = true
  }

  get isDue(): boolean {
    const { clock, pace } = this.#parts
    return clock() >= this.#last + pace.interval(this.#cost)
  }

  /**
   * Writes a checkpoint of what `make` gives, whose vectors may change as soon as something has to be awaited: they have
   * been copied. `before` is what must be on the disk first. What it takes decides when the next is due.
   */
  *writing(make: () => KeptCheckpoint, before?: Before): Steps {
    const cost = { busy: 0, bytes: 0 }
    yield* this.#timed(cost, this.#steps(cost, make, before))
    this.#cost = cost
    this.#last = this.#parts.clock()
  }

  /** Takes no more part in the pace. */
  close(): void {
    if (this.#isOpen) this.#parts.pace.leave()
    this.#isOpen = false
  }

  *#steps(cost: { bytes: number }, make: () => KeptCheckpoint, before: Before | undefined): Steps {
    const { files, folder } = this.#parts
    const kept = make()
    const later = bytesOf(kept) <= mostCopied ? files.later : undefined
    const room = later && (spareRooms.pop() ?? new VectorRoom())
    const { length, parts } = encodeCheckpointFile(kept, room)
    cost.bytes = length
    if (before !== undefined) yield* before(later)
    const [a, b] = fileNames.checkpoints
    const name = this.#newest === a ? b : a
    yield* writingAtomically(files, join(folder, name), parts, later)
    this.#newest = name
    if (room !== undefined && spareRooms.length < mostRooms) spareRooms.push(room)
  }

  /** Counts the time in which the loop stands still, not that in which it waits. */
  *#timed(cost: { busy: number }, steps: Steps): Steps {
    const { clock } = this.#parts
    let began = clock()
    for (const work of steps) {
      cost.busy += clock() - began
      yield work
      began = clock()
    }
    cost.busy += clock() - began
  }
}

function bytesOf({ checkpoint }: KeptCheckpoint): number {
  return vectorsOf(checkpoint).reduce((sum, [, { byteLength }]) => sum + byteLength, 0)
}
