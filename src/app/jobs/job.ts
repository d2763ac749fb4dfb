import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ZerothError } from '../../index.ts'
import { isObject } from '../../optimizer/core/options.ts'
import type { JsonObject } from '../spec/index.ts'
import { lockFolder, readOrdinary, sealedJson, unsealFields, writeWholeFile } from '../store/index.ts'
import { type Emit, type JobContext, type JobCounts, type JobEvent, jobEvents, type PerformControl } from './events.ts'
import type { JobKind } from './folders.ts'
import type { JobLabel } from './label.ts'

/** State derived from the files; `interrupted` means no result and no live owner. */
export type JobState = 'running' | 'interrupted' | 'finished' | 'failed' | 'damaged'

/** A job as lists, pages and trackers show it. Derived from its files: no process needs to perform it. */
export interface JobView extends JobCounts, JobLabel {
  readonly kind: JobKind
  readonly folder: string
  readonly state: JobState
  readonly created?: string | undefined
  /** What a series or a tuning is judged by: the median over its finished runs, or the mean over seeds of its best setting. */
  readonly value?: number | undefined
  /** Of a tuning: its best setting so far, in words. */
  readonly setting?: string | undefined
  readonly seconds?: number | undefined
  /** Why it stopped, where it has ended: a stop reason, or the message of a failure. */
  readonly reason?: string | undefined
  /** Why it cannot be read. */
  readonly problem?: string | undefined
  /** The jobs of a series or a tuning. */
  readonly members?: readonly JobView[] | undefined
}

/** Something with a folder that can be performed, stopped and resumed: a run, a series, a tuning, an evaluation. */
export interface Job<Result, Kind extends JobKind = JobKind> {
  readonly kind: Kind
  readonly folder: string
  /** The resolved spec that it is performed by. */
  readonly spec: JsonObject
  /**
   * Takes the job from where it is to its end, or until the signal fires, and yields what happens. Asks nothing where
   * the job has finished. Leaving the loop saves the job; a failure that leaves nothing to resume rejects.
   */
  perform(control?: PerformControl): AsyncGenerator<JobEvent, void, void>
  /** What the job has found, where it has ended. */
  result(): Result | undefined
  /** Closes what the job holds open (a model, a lock). A job that was performed to its end has done so. */
  close(): Promise<void>
}

/** What the kinds of job differ in. `Held` is what their owner holds: a lock, an open store, a model. */
export interface JobLife<Held, Result> {
  readonly spec: JsonObject
  /** What the owner holds already. */
  readonly held: Held
  /** What was found before. */
  readonly found?: Result | undefined
  /** Takes hold of the job once more, after it was performed or closed. */
  plan(): Held | Promise<Held>
  /** Takes the job from where it is to its end, or until the signal fires, and lets go of it. */
  step(held: Held, context: JobContext): Promise<Result | undefined>
  /** Lets go of a job that was not performed. */
  release(held: Held): Promise<void>
}

/** A job of any kind, in a folder. */
export function makeJob<Held, Result, Kind extends JobKind>(
  kind: Kind,
  folder: string,
  life: JobLife<Held, Result>,
): Job<Result, Kind> {
  let held: { readonly by: Held } | undefined = { by: life.held }
  let { found } = life
  const take = async (emit: Emit, signal: AbortSignal): Promise<void> => {
    const { by } = held ?? { by: await life.plan() }
    held = undefined
    found = await life.step(by, { job: basename(resolve(folder)), emit, signal })
  }
  return {
    kind,
    folder,
    spec: life.spec,
    perform: (control) => jobEvents(folder, take, control),
    result: () => found,
    async close() {
      const { by } = held ?? {}
      held = undefined
      if (by !== undefined) await life.release(by)
    },
  }
}

/** Tells a spec from every other, so that what is performed is what was looked at. */
export function specDigest(spec: Readonly<Record<string, unknown>>): string {
  return createHash('sha256').update(JSON.stringify(spec)).digest('hex')
}

/** Milliseconds for something to close; what is left then ends with the program. */
const closeTimeout = 3000

/** Closes an objective or a model, but does not wait for one that cannot be closed. */
export async function closeWithin(open: { close?: (() => Promise<unknown> | unknown) | undefined }): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, closeTimeout)
  })
  await Promise.race([open.close?.(), enough]).finally(() => clearTimeout(timer))
}

/** What may be changed in a run that is there: when it stops, never what it does. */
export const limitKeys = ['maxQueries', 'maxIterations', 'maxTime', 'target', 'patience'] as const

/** Limits as options give them. */
export type Limits = Readonly<Partial<Record<(typeof limitKeys)[number], number | undefined>>>

/** Those of the given limits that a spec does not have already. */
export function newLimits(spec: Readonly<Record<string, unknown>>, limits: Limits): Record<string, number> {
  const changed = limitKeys.filter((key) => limits[key] !== undefined && limits[key] !== spec[key])
  return Object.fromEntries(changed.map((key) => [key, limits[key] as number]))
}

/** The limits in which a wanted spec differs from the one of a run that is there; any other difference is an error. */
export function changedLimits(
  folder: string,
  there: Readonly<Record<string, unknown>>,
  wanted: JsonObject,
): Record<string, number> {
  const isLimit = (key: string): boolean => (limitKeys as readonly string[]).includes(key)
  const other = differingKeys(there, wanted).find((key) => !isLimit(key) || wanted[key] === undefined)
  if (other !== undefined) throw isAnother('run', folder, other, there, wanted)
  return newLimits(there, wanted as Limits)
}

/** The keys whose values differ between two specs. */
export function differingKeys(
  there: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): string[] {
  const keys = [...new Set([...Object.keys(there), ...Object.keys(wanted)])]
  return keys.filter((key) => !isDeepStrictEqual(there[key], wanted[key]))
}

/** The error of a folder whose job has another spec than the wanted one. */
export function isAnother(
  what: 'run' | 'attack',
  folder: string,
  key: string,
  there: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): ZerothError {
  const [old, now] = [there[key], wanted[key]].map((value) => cut(JSON.stringify(value) ?? 'nothing'))
  const difference = `its ${key} is ${old}, not ${now}`
  return new ZerothError('invalid-option', `${folder} is another ${what}: ${difference}; choose another folder`)
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

/** The version of the files that say what a job is. */
const version = 1

/** Writes sealed JSON with its format and version, so that there is always a whole file. */
export function writeStored(file: string, format: string, content: object): void {
  writeWholeFile(file, sealedJson({ format, version, ...content }))
}

/** Reads what `writeStored` wrote; a file that does not fit its seal, or of another format or version, is refused. */
export function readStored(file: string, format: string): Record<string, unknown> {
  const { format: _, version: __, ...content } = unsealFields(file, readOrdinary(file), format)
  return content
}

/** The error of a file that does not hold what it should. */
export function damaged(file: string, why: string): ZerothError {
  return new ZerothError('invalid-run', `${file} is damaged: ${why}`)
}

/** Whether a spec is that of a program to be tuned. */
export function isTuning({ objective }: Readonly<Record<string, unknown>>): boolean {
  return isObject(objective) && objective.name === 'command'
}

/** A folder with other things in it cannot become a job. */
export function refuseOccupied(folder: string): void {
  const found = readdirSync(folder).find((name) => !/^lock(\.|$)|\.tmp$/.test(name))
  if (found === undefined) return
  throw new ZerothError('invalid-option', `${folder} is not empty (${found}): choose another folder`)
}

/** Does something in a folder while no other process can. */
export async function whileLocked<T>(folder: string, act: () => T): Promise<T> {
  const lock = await lockFolder(folder)
  try {
    return act()
  } finally {
    lock.release()
  }
}
