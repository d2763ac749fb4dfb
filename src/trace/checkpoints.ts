import { join } from 'node:path'
import { ZerothError } from '../core/errors.ts'
import { decodeCheckpointFile, encodeCheckpointFile, isOutdated } from './checkpoint-file.ts'
import type { KeptCheckpoint } from './checkpoint-header.ts'
import { readWhole, writeAtomically } from './run-file.ts'
import { fileNames } from './run-folder.ts'
import type { StoreFiles } from './store-files.ts'

/** The two checkpoint files, written in turn. */
export type CheckpointName = (typeof fileNames.checkpoints)[number]

/** An undamaged checkpoint of this run. */
export interface FoundCheckpoint {
  readonly name: CheckpointName
  readonly kept: KeptCheckpoint
}

/** A checkpoint that cannot be used. */
export interface BadCheckpoint {
  readonly name: CheckpointName
  readonly why: string
  /** Whether nothing is wrong with it but that an earlier zeroth wrote it. */
  readonly isOutdated: boolean
}

/** Milliseconds between checkpoints at least; and they take at most one part in so many of the time. */
const leastInterval = 2000
const share = 50
/** Bytes written in a millisecond, for a guess before the first checkpoint was timed; and how many a variable takes. */
const guessedSpeed = 200_000
const guessedBytes = 40

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
      else bad.push({ name, why: `it belongs to run ${kept.id}`, isOutdated: false })
    } catch (error) {
      if (!(error instanceof ZerothError) || error.code !== 'invalid-checkpoint') throw error
      const isOld = isOutdated(bytes)
      bad.push({ name, why: isOld ? 'an earlier zeroth wrote it' : 'it is damaged', isOutdated: isOld })
    }
  }
  return { found: found.sort((a, b) => b.kept.records - a.kept.records), bad }
}

/** Writes checkpoints, never over the newest one, and knows when the next is due. */
export class CheckpointWriter {
  readonly #files: StoreFiles
  readonly #folder: string
  readonly #clock: () => number
  #newest: CheckpointName | undefined
  #due: number

  constructor(files: StoreFiles, folder: string, newest: CheckpointName | undefined, clock: () => number) {
    this.#files = files
    this.#folder = folder
    this.#newest = newest
    this.#clock = clock
    this.#due = clock() + leastInterval
  }

  /** Says how many variables the run has, from which the time of the first checkpoint is guessed. */
  expect(dim: number): void {
    this.#due = this.#clock() + interval((dim * guessedBytes) / guessedSpeed)
  }

  get isDue(): boolean {
    return this.#clock() >= this.#due
  }

  /** Makes a checkpoint and writes it; how long that takes decides when the next is due. */
  write(make: () => KeptCheckpoint): KeptCheckpoint {
    const began = this.#clock()
    const kept = make()
    const [a, b] = fileNames.checkpoints
    const name = this.#newest === a ? b : a
    writeAtomically(this.#files, join(this.#folder, name), encodeCheckpointFile(kept))
    this.#newest = name
    const ended = this.#clock()
    this.#due = ended + interval(ended - began)
    return kept
  }
}

function interval(duration: number): number {
  return Math.max(leastInterval, share * duration)
}
