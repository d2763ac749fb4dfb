import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Objective, ZerothError } from '../../../index.ts'
import { later } from '../../../optimizer/core/async.ts'
import type { AttackPlace, AttackProgress, RunAttack, ScreenedImage } from '../../../robustness/index.ts'
import { now } from '../../provenance/wall-clock.ts'
import {
  CheckpointPace,
  checkpointFiles,
  createRun,
  driveRun,
  openRun,
  type RunStore,
  readOrdinary,
  readRun,
  type StoreOptions,
  writeWholeFile,
} from '../../store/index.ts'
import { isRun, makeFolder } from '../folders.ts'
import { imageFolder, layout } from './attack-files.ts'
import type { AttackRecord } from './attack-record.ts'

/** Whom the runs of images tell what happens, and whom they ask. */
export interface AttackObserver {
  /** The model has answered this many queries; those read again from a journal do not count. */
  asked(queries: number): void
  /** Something that had to be done to the files of a run. */
  note(text: string): void
  /** What is known of an image. */
  about(index: number): ScreenedImage | undefined
}

/** What the runs of an attack say of it. */
export type RunsRecord = Pick<AttackRecord, 'spec' | 'machine' | 'zeroth' | 'snapshots'>

/**
 * Minimises in a run of its own below the folder of the attack, which continues where an earlier process left it: at its
 * latest checkpoint, which holds the account of the attack, and with the answers recorded behind that.
 */
export function imageRuns(folder: string, record: RunsRecord, observer: AttackObserver): RunAttack {
  const pace = new CheckpointPace()
  const turn = beginningInTurn()
  return async (problem, session, place, { signal, onIteration }) => {
    const store = await openPlace(folder, record, place, session.seed ?? 0, { about: observer.about, pace })
    try {
      for (const note of store.notes) observer.note(`${basename(store.folder)}: ${note}`)
      const objective = counted(problem.objective, observer)
      await turn()
      const result = await driveRun(store, objective, problem.start, session, { signal, onIteration })
      const { status, stopReason, error, phases } = result
      return { status, stopReason, error: error === undefined ? undefined : new Error(error), phases }
    } finally {
      await store.close()
    }
  }
}

/** Beginning on a large image keeps the thread for a while. Several that begin together let timers and replies in between. */
function beginningInTurn(): () => Promise<void> {
  let turn = Promise.resolve()
  return () => {
    turn = turn.then(() => new Promise((resolve) => void later(resolve)))
    return turn
  }
}

/** The run of a place: the one that is there, or a new one. */
async function openPlace(
  folder: string,
  { spec, machine, zeroth, snapshots = [] }: RunsRecord,
  { index, title, part = '', isSecond = false }: AttackPlace,
  seed: number,
  { about, pace }: Pick<AttackObserver, 'about'> & { readonly pace: CheckpointPace },
): Promise<RunStore> {
  const isUniversal = index < 0
  const own = join(isUniversal ? layout.universal : imageFolder(index), part)
  const run = join(folder, own, isSecond ? layout.second : '')
  // The pictures of an image are kept instead.
  const options = { points: isUniversal, pace }
  if (isRun(run)) return reopened(folder, run, isUniversal ? snapshots : [], options)
  await makeFolder(run)
  const { label = null, target = null } = about(index) ?? {}
  const image = { index, title, label, target, seed }
  const within = part === '' ? {} : { within: part }
  const meant = isUniversal ? { attack: spec } : { attack: spec, image, ...within }
  return createRun(run, { id: basename(run), created: now(), zeroth, spec: meant, machine }, options)
}

/** A run that is there, at its checkpoint. One that has finished is taken up, too, because its account is needed. */
async function reopened(
  folder: string,
  run: string,
  snapshots: readonly number[],
  options: StoreOptions,
): Promise<RunStore> {
  rmSync(join(run, 'result.json'), { force: true })
  const store = await openRun(run, options)
  const at = store.checkpoint?.iteration ?? 0
  if (snapshots.every((iteration) => iteration >= at || existsSync(fileOf(folder, iteration)))) return store
  // A snapshot that was not wanted before is behind the checkpoint: the journal leads past it again.
  await store.close()
  return openRun(run, { ...options, fromStart: true })
}

/**
 * Removes the checkpoints of a run that has ended and of those below its folder: they take tens of megabytes, and no
 * resume reads them again. The journal stays, from which a lost record is made without asking anything.
 */
export function dropCheckpoints(run: string): void {
  if (!existsSync(run)) return
  for (const entry of readdirSync(run, { withFileTypes: true })) {
    if (entry.isDirectory()) dropCheckpoints(join(run, entry.name))
    else if (checkpointFiles.includes(entry.name)) rmSync(join(run, entry.name), { force: true })
  }
}

function counted(objective: Objective, observer: AttackObserver): Objective {
  return {
    ...objective,
    dim: objective.dim,
    evaluate(queries, into, signal) {
      const work = objective.evaluate(queries, into, signal)
      const count = (): void => observer.asked(queries.rows)
      return work === undefined ? count() : work.then(count)
    },
  }
}

/** Keeps a universal perturbation as it is at some iterations. */
export function keepSnapshot(
  folder: string,
  { iteration, variables }: AttackProgress,
  wanted: readonly number[] = [],
): void {
  if (variables !== undefined && wanted.includes(iteration)) write(folder, iteration, variables)
}

/** The same for the last point, which is known once the run has ended. */
export async function keepLastSnapshot(folder: string, iteration: number): Promise<void> {
  if (existsSync(fileOf(folder, iteration))) return
  const { result } = await readRun(join(folder, layout.universal))
  if (result !== undefined && result.iterations === iteration) write(folder, iteration, result.last.point)
}

/** A perturbation that was kept; undefined where there is none. */
export function readSnapshot(folder: string, iteration: number): Float32Array | undefined {
  const file = fileOf(folder, iteration)
  if (!existsSync(file)) return undefined
  const bytes = readOrdinary(file)
  const floats = bytes.subarray(0, Math.max(0, bytes.byteLength - sealBytes))
  if (!sealOf(floats).equals(bytes.subarray(floats.byteLength))) {
    const advice = 'delete it, and zeroth resume makes it again'
    throw new ZerothError('invalid-run', `${file} does not fit its sha256: it was damaged or changed; ${advice}`)
  }
  const values = new DataView(floats.buffer, floats.byteOffset, floats.byteLength)
  return Float32Array.from({ length: floats.byteLength >> 2 }, (_, i) => values.getFloat32(4 * i, true))
}

/** Behind the numbers of a snapshot stands their SHA-256. */
const sealBytes = 32

function sealOf(floats: Uint8Array): Buffer {
  return createHash('sha256').update(floats).digest()
}

function write(folder: string, iteration: number, values: ArrayLike<number>): void {
  const bytes = new DataView(new ArrayBuffer(4 * values.length))
  for (let i = 0; i < values.length; i++) bytes.setFloat32(4 * i, values[i] as number, true)
  const floats = new Uint8Array(bytes.buffer)
  writeWholeFile(fileOf(folder, iteration), Buffer.concat([floats, sealOf(floats)]))
}

function fileOf(folder: string, iteration: number): string {
  return join(folder, layout.universal, `perturbation-${iteration}.f32`)
}
