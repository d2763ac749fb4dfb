import { join } from 'node:path'
import { serialize } from '../../optimizer/core/async.ts'
import type { Order } from '../../optimizer/core/engine.ts'
import { type Outcome, type StopReason, ZerothError } from '../../optimizer/core/errors.ts'
import { saveMemory } from '../../optimizer/core/part.ts'
import type { Session } from '../../optimizer/core/session.ts'
import type { Checkpoint, HistoryRecord, Objective } from '../../optimizer/core/types.ts'
import type { KeptCheckpoint } from './checkpoint-file.ts'
import type { CheckpointPace } from './checkpoints.ts'
import { type Journaled, journaled } from './journal.ts'
import type { Lock } from './lock.ts'
import { type RunMeta, writeMeta } from './meta-file.ts'
import { type Recovered, recover } from './recover.ts'
import { type RunResult, resultOf, withoutPoints, writeResult } from './result-file.ts'
import { removeFile, type Steps, type StoreFiles, syncOrAsync, takeAllSteps } from './run-file.ts'
import { fileNames } from './run-folder.ts'

/** Ends at which the session may have left a record unread that was already written. */
const fromOutside: readonly StopReason[] = ['aborted', 'callback', 'max-time']

/** The parts of a store. */
export interface StoreParts {
  readonly files: StoreFiles
  readonly clock: () => number
  /** Read all records again instead of continuing from a checkpoint. */
  readonly fromStart: boolean
  /** Whether result.json holds the points. */
  readonly points: boolean
  readonly pace: CheckpointPace
  /** Bytes of records that both checkpoints cover from which on the journal drops them. */
  readonly journalLimit: number
  readonly folder: string
  readonly meta: RunMeta
  readonly lock: Lock
  /** Of a run that has ended. */
  readonly result: RunResult | undefined
  readonly notes: readonly string[]
}

/** Serialises the final checkpoints of runs that are interrupted together: each copies all its vectors. */
const ending = serialize()

/** A run being written: one store per run at a time, wherever its processes are. */
export class RunStore {
  readonly folder: string
  readonly #parts: StoreParts
  readonly #files: StoreFiles
  readonly #clock: () => number
  readonly #lock: Lock
  readonly #notes: string[]
  #meta: RunMeta
  /** Infinite where all records are needed, because the objective is told them when the run is resumed. */
  #journalLimit: number
  #result: RunResult | undefined
  /** The open files; a finished run has none until it is extended. */
  #run: Recovered | undefined
  /** Where the run can be resumed. */
  #kept: KeptCheckpoint | undefined
  /** How many records had been read or written when the latest iteration was complete. */
  #boundary = 0
  /** When the first query of this process was asked. */
  #began: number | undefined
  /** What is asked, which may remember its answers. */
  #objective: Objective | undefined
  /** A checkpoint that is being written while the run goes on. */
  #writing: Promise<void> | undefined
  #failure: unknown
  #closed = false

  constructor(parts: StoreParts) {
    const { files, clock, fromStart, journalLimit, folder, meta, lock, result, notes } = parts
    this.#parts = parts
    this.folder = folder
    this.#files = files
    this.#clock = clock
    this.#lock = lock
    this.#meta = meta
    this.#journalLimit = fromStart ? Infinity : journalLimit
    this.#result = result
    this.#notes = [...notes]
    if (result?.status !== 'finished') this.#recover(fromStart)
  }

  get meta(): RunMeta {
    return this.#meta
  }

  /** Where to continue from: pass it to the session as `resume`. Gone once the session has. */
  get checkpoint(): Checkpoint | undefined {
    return this.#kept?.checkpoint
  }

  /** The result of the run, where it has ended and not continued since. */
  get result(): RunResult | undefined {
    return this.#result
  }

  /** What had to be done to the files when the run was opened, in words. */
  get notes(): readonly string[] {
    return this.#notes
  }

  /** How long the run has worked, over all its processes; records read again bring their own time. */
  get seconds(): number {
    if (this.#run === undefined) return this.#result?.seconds ?? 0
    if (this.#began === undefined) return this.#run.journal.at.seconds
    return this.#run.seconds + (this.#clock() - this.#began) / 1000
  }

  /** How long the run had worked when the latest iteration was answered, as the trace has it. */
  get iterationSeconds(): number {
    return this.#run?.journal.at.seconds ?? 0
  }

  /** Whether no answer has been recorded or read yet. */
  get isEmpty(): boolean {
    return (this.#run?.journal.at.records ?? 0) === 0
  }

  /** Records that are there already: as many batches will be answered without a query. */
  get unread(): number {
    return this.#run?.journal.unread ?? 0
  }

  /**
   * The objective with the run's journal around it: what is recorded is not queried again, what is queried is recorded before
   * the session sees it. It must be the outermost wrapper, for a loop of your own, which asks one batch after the other. From here
   * on a run that had been aborted or failed has no result any more.
   */
  journaled(objective: Objective): Objective {
    return this.#guarded(this.#begin(objective).recorded)
  }

  /** The same for the engine, which records answers as it tells them, so that several queries may be under way. */
  ordered(objective: Objective): { readonly objective: Objective; readonly order: Order } {
    const { replayed, order } = this.#begin(objective)
    return { objective: this.#guarded(replayed), order }
  }

  #begin(objective: Objective): Journaled {
    const { journal, checkpoints } = this.#working()
    this.#attempt(() => removeFile(this.#files, join(this.folder, fileNames.result)))
    this.#result = undefined
    if (objective.recall !== undefined) this.#journalLimit = Infinity
    checkpoints.expect(objective.dim)
    restoreAccount(this.folder, this.checkpoint, objective)
    this.#objective = objective
    return journaled(journal, objective, () => this.seconds)
  }

  #guarded(objective: Objective): Objective {
    const { journal } = this.#working()
    return {
      ...objective,
      evaluate: (queries, into, signal) => {
        if (this.#failure !== undefined) throw this.#failure
        if (journal.unread === 0) this.#began ??= this.#clock()
        return objective.evaluate(queries, into, signal)
      },
    }
  }

  /** Writes the trace's line for an iteration, and a checkpoint when one is due. */
  iteration(record: HistoryRecord, session: Session): void {
    const { journal, trace, checkpoints } = this.#working()
    this.#attempt(() => {
      this.#boundary = journal.at.records
      // Its vectors may be large, and the session has its own.
      this.#kept = undefined
      trace.add(record, journal.at.seconds)
      if (this.#writing === undefined && checkpoints.isDue) this.#writeBeside(session)
    })
  }

  /** Makes everything so far survive a power cut; writes a checkpoint unless the run is in the middle of an iteration. */
  async save(session: Session): Promise<void> {
    if (this.#writing !== undefined) await this.#writing
    const { journal, trace } = this.#working()
    const { later } = this.#files
    if (journal.at.records === this.#boundary) await this.#perform(this.#checkpointing(session))
    await this.#perform(journal.syncing(later))
    await this.#perform(trace.syncing(later))
  }

  /** Keeps how the run ended: a last checkpoint and result.json. */
  finish(outcome: Outcome, session: Session): Promise<RunResult> {
    return ending(() => this.#finish(outcome, session))
  }

  async #finish(outcome: Outcome, session: Session): Promise<RunResult> {
    if (this.#writing !== undefined) await this.#writing
    const { journal } = this.#working()
    const told = !fromOutside.includes(outcome.stopReason) || journal.at.records === this.#boundary
    if (told) await this.#perform(this.#checkpointing(session, false))
    else await this.#perform(journal.syncing(this.#files.later))
    return this.#attempt(() => {
      this.#lock.check()
      const result = resultOf(outcome, this.seconds)
      writeResult(this.#files, this.folder, this.#meta, this.#parts.points ? result : withoutPoints(result))
      this.#result = result
      return result
    })
  }

  /**
   * Lets a run that has ended continue with some fields of its spec changed, usually a larger budget. The queries of its
   * end stay counted; the way from there is the one a run without that end would have gone.
   */
  async extend(changes: RunMeta['spec']): Promise<void> {
    if (this.#result === undefined) {
      throw new ZerothError('wrong-order', `${this.folder} has not ended: let it finish before you extend it`)
    }
    if (this.#run === undefined) this.#recover(false)
    const { journal, checkpoints } = this.#run as Recovered
    const records = journal.at.records
    const kept = this.#kept
    if (journal.unread > 0 || kept?.records !== records) {
      const advice = 'reopen the run and let it read its journal to the end first'
      throw new ZerothError(
        'invalid-run',
        `${this.folder} has no sound checkpoint of its end to continue from: ${advice}`,
      )
    }
    const extensions = [...this.#meta.extensions, { records, changes }]
    const meta = { ...this.#meta, spec: { ...this.#meta.spec, ...changes }, extensions }
    // From now on the run cannot begin at its beginning any more: this checkpoint must not be the only one.
    await this.#perform(checkpoints.writing(() => kept))
    this.#attempt(() => {
      writeMeta(this.#files, this.folder, meta)
      this.#meta = meta
      this.#result = undefined
      removeFile(this.#files, join(this.folder, fileNames.result))
    })
  }

  /** Writes out what waits, closes the files and releases the lock. Later calls do nothing. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    if (this.#writing !== undefined) await this.#writing
    const { journal, trace, checkpoints } = this.#run ?? {}
    for (const work of journal?.settling() ?? []) await work
    const failed = this.#failure !== undefined
    takeAllSteps([
      () => (failed ? undefined : trace?.flush()),
      () => (failed ? undefined : journal?.sync()),
      () => checkpoints?.close(),
      () => trace?.close(),
      () => journal?.close(),
      () => this.#lock.release(),
    ])
  }

  /** Lets a finished run read its journal again, which asks nothing; false where a checkpoint covers its end. */
  reopen(): boolean {
    if (this.#run === undefined) this.#recover(false)
    if (this.unread === 0) return false
    this.#result = undefined
    return true
  }

  #recover(fromStart: boolean): void {
    const run = recover(this.#files, this.folder, this.#meta, {
      ...this.#parts,
      fromStart,
      lock: this.#lock,
    })
    this.#run = run
    this.#notes.push(...run.notes)
    this.#kept = run.kept
    this.#boundary = run.journal.at.records
  }

  /** Writes a checkpoint; the run goes on as soon as its vectors have been copied, where the file system lets it. */
  #writeBeside(session: Session): void {
    const ended = (): void => {
      this.#writing = undefined
    }
    this.#writing = syncOrAsync(this.#checkpointing(session))?.then(ended, (error: unknown) => {
      // Reported by the next call.
      this.#failure ??= error
      ended()
    })
  }

  /** Writes a checkpoint. What it holds is copied where it is to be kept in memory, too: `isLive` is false then. */
  *#checkpointing(session: Session, isLive = true): Steps {
    const { journal, trace, checkpoints } = this.#working()
    this.#lock.check()
    const { covering } = journal
    const make = (): KeptCheckpoint => {
      trace.flush()
      const { records, lastChecksum, seconds } = journal.at
      const place = { id: this.#meta.id, records, lastChecksum, traceBytes: trace.bytes, seconds }
      const checkpoint = withAccount(session.checkpoint({ live: isLive }), this.#objective, isLive)
      const kept = { ...place, checkpoint }
      if (!isLive) this.#kept = kept
      return kept
    }
    yield* checkpoints.writing(make, function* (later) {
      yield* journal.syncing(later)
      yield* trace.syncing(later)
    })
    yield* journal.checkpointed(this.#journalLimit, covering)
  }

  #working(): Recovered {
    if (this.#closed) throw new ZerothError('wrong-order', `${this.folder} has been closed`)
    if (this.#run === undefined || this.#result?.status === 'finished') {
      throw new ZerothError('wrong-order', `${this.folder} has ended: extend it to continue`)
    }
    return this.#run
  }

  /** Takes all steps of some work on the files. */
  async #perform(steps: Steps): Promise<void> {
    const work = this.#attempt(() => syncOrAsync(steps))
    if (work === undefined) return
    try {
      await work
    } catch (error) {
      this.#failure ??= error
      throw error
    }
  }

  /** After a failure the files are not touched again: what they hold is for the next opening to find out. */
  #attempt<T>(call: () => T): T {
    if (this.#failure !== undefined) throw this.#failure
    try {
      return call()
    } catch (error) {
      this.#failure = error
      throw error
    }
  }
}

/** A checkpoint with what the objective remembers of its answers, where it does; live: with the vectors at work. */
function withAccount(checkpoint: Checkpoint, objective: Objective | undefined, isLive = false): Checkpoint {
  const account = objective?.save?.()
  return account === undefined ? checkpoint : { ...checkpoint, account: isLive ? account : saveMemory(account) }
}

/** Lets an objective that remembers its answers continue from what it remembered at the checkpoint. */
function restoreAccount(folder: string, checkpoint: Checkpoint | undefined, objective: Objective): void {
  if (checkpoint === undefined || objective.restore === undefined) return
  if (checkpoint.account === undefined) {
    const what = 'its checkpoint does not hold what the objective remembers of its answers'
    throw new ZerothError('invalid-run', `${folder}: ${what}; open the run with fromStart`)
  }
  objective.restore(checkpoint.account)
}
