import { readdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readOverview, traceTail } from '../trace/index.ts'
import { itemDone } from './evaluation/attack-meter.ts'
import { readAttack } from './evaluation/attack-record.ts'
import { untoldImages } from './evaluation/status.ts'
import type { WorkEvent, WorkKind } from './events.ts'
import { kindOf } from './folders.ts'
import { budgetOf } from './perform-run.ts'
import { eventsOf, type Stage } from './performing.ts'
import { progressMeter } from './progress.ts'
import { workStatus } from './status.ts'
import type { WorkStatus } from './work.ts'

/** How a work is followed. */
export interface FollowOptions {
  /** Ends the following; the work itself does not notice. */
  readonly signal?: AbortSignal | undefined
}

/** Milliseconds between two readings of the files, and how many times as long as a reading the pause is at least. */
const interval = 50
const easiness = 5

/** Milliseconds after which a work that nothing performs has been interrupted: between two locks there may be a moment. */
const grace = 300

/** Tells what its files say a work has done since the last time. */
type Reader = (status: WorkStatus) => Promise<void>

/** Reads the files once more and tells what happened; true behind the end of the work. */
type Follower = () => Promise<boolean>

/**
 * The events of a work that another process performs, read from its files; it may begin, or be resumed, later. Images of an
 * evaluation that are done already are told first. Ends with `finished` when that process has ended; at once where the work
 * has finished already.
 */
export function follow(folder: string, { signal }: FollowOptions = {}): AsyncGenerator<WorkEvent, void, void> {
  return eventsOf(
    async (emit, stopped) => {
      const isThere = kindOf(folder) !== undefined
      const poll = follower(folder, { work: basename(resolve(folder)), emit, signal: stopped }, !isThere)
      let isOver = false
      while (!isOver && !stopped.aborted) {
        const began = performance.now()
        isOver = kindOf(folder) !== undefined && (await poll())
        if (isOver) return
        const pause = Math.max(interval, easiness * (performance.now() - began))
        await sleep(pause, undefined, { signal: stopped }).catch(() => undefined)
      }
    },
    { signal },
  )
}

/** Follows one work, alone or as a member. One that is not new counts as begun when something changes. */
function follower(folder: string, stage: Stage, isNew: boolean): Follower {
  const { work, emit } = stage
  let first = isNew ? '' : undefined
  let read: Reader | undefined
  let quietSince: number | undefined
  return async () => {
    const status = await workStatus(folder)
    const { state, reason = state, problem = reason } = status
    first ??= fingerprint(status)
    if (read === undefined) {
      if ((state === 'interrupted' || state === 'failed') && fingerprint(status) === first) return false
      read = await begun(folder, status, stage)
    }
    await read(status)
    if (state === 'running') quietSince = undefined
    else quietSince ??= performance.now()
    if (quietSince === undefined) return false
    const isSure = state !== 'interrupted' || status.reason !== undefined
    if (!isSure && performance.now() - quietSince < grace) return false
    emit(work, {
      type: 'finished',
      status: state === 'damaged' || state === 'running' ? 'failed' : state,
      reason: problem,
    })
    return true
  }
}

/** What changes while a work is performed. */
function fingerprint({ state, iterations, queries, items }: WorkStatus): string {
  return JSON.stringify([state, iterations, queries, items])
}

async function begun(folder: string, { kind, iterations, items }: WorkStatus, stage: Stage): Promise<Reader> {
  const { work, parent, title, emit } = stage
  const budget = kind === 'run' ? budgetOf((await readOverview(folder)).meta.spec) : {}
  const resumed = (iterations ?? items?.done ?? 0) > 0
  emit(work, { type: 'started', kind, parent, title, resumed, budget })
  return readers[kind](folder, stage, budget)
}

const readers: Readonly<
  Record<WorkKind, (folder: string, stage: Stage, budget: ReturnType<typeof budgetOf>) => Reader>
> = {
  run: runReader,
  series: membersReader,
  tuning: membersReader,
  evaluation: imagesReader,
}

/** The iterations of a run, from the end of its trace. */
function runReader(folder: string, { work, emit }: Stage, budget: ReturnType<typeof budgetOf>): Reader {
  const meter = progressMeter({ emit: (progress) => emit(work, progress), budget, interval: Infinity })
  let at: number | undefined
  let latest = 0
  return async () => {
    const isFirst = at === undefined
    const { records, to } = traceTail(folder, at)
    at = to
    for (const record of records) {
      // A run that is resumed writes the end of its trace again.
      if (record.iteration <= latest) continue
      latest = record.iteration
      meter.record(record, isFirst)
    }
    meter.flush()
  }
}

/** The works inside a series or a tuning, and how many of them are done. */
function membersReader(folder: string, stage: Stage): Reader {
  const members = new Map<string, Follower | undefined>()
  const readItems = itemsReader(stage)
  let isFirst = true
  return async (status) => {
    for (const name of await readdir(folder)) {
      if (members.has(name) || kindOf(join(folder, name)) === undefined) continue
      const own = { ...stage, work: `${stage.work}/${name}`, parent: stage.work, title: name }
      members.set(name, follower(join(folder, name), own, !isFirst))
    }
    isFirst = false
    for (const [name, poll] of members) if ((await poll?.()) === true) members.set(name, undefined)
    await readItems(status)
  }
}

/** The images of an evaluation that are done, those of earlier processes included, and how many they are. */
function imagesReader(folder: string, stage: Stage): Reader {
  const told = new Set<number>()
  const readItems = itemsReader(stage)
  return async (status) => {
    for (const record of untoldImages(folder, told)) {
      stage.emit(stage.work, itemDone(record, readAttack(folder).images.classNames))
    }
    await readItems(status)
  }
}

/** How many items of a work are done, whenever that has changed. */
function itemsReader({ work, emit }: Stage): Reader {
  let told = ''
  return async ({ iterations = 0, queries = 0, best, items }) => {
    const now = JSON.stringify([iterations, queries, items])
    if (now === told) return
    told = now
    emit(work, { type: 'progress', iterations, queries, best, rate: 0, items, tail: [] })
  }
}
