import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { makeFolder } from '../../src/app/jobs/folders.ts'
import { machine, zerothVersion } from '../../src/app/provenance/machine.ts'
import { now } from '../../src/app/provenance/wall-clock.ts'
import { conductKeys } from '../../src/app/spec/attack/index.ts'
import type { JsonObject } from '../../src/app/spec/index.ts'
import { writeWholeFile } from '../../src/app/store/index.ts'
import { ZerothError } from '../../src/index.ts'
import { checkAllowed } from './check-allowed.ts'
import type { WorkSession } from './page/provenance.ts'
import type { Profile, Scale } from './tables/index.ts'

/** The file that makes a folder a reproduction of the paper: its attacks lie in `cells` below it. */
export const reproductionFile = 'reproduce.json'

/** What decides the results of a reproduction. */
export interface ReproduceSettings {
  readonly scale: Scale
  readonly profile?: Profile | undefined
  readonly seed?: number | undefined
  readonly count?: number | undefined
  readonly iterations?: number | undefined
  /** Images and iterations of some parts, as they are written. */
  readonly sizes?: string | undefined
  /** The class of all images of universal attacks. */
  readonly class?: number | undefined
  /** Model and images of the full scale, as keys of an attack spec. */
  readonly subject?: JsonObject | undefined
}

/** Settings as far as a call gives them. */
export type GivenSettings = { readonly [key in keyof ReproduceSettings]?: ReproduceSettings[key] | undefined }

/** What a folder reproduces. */
export interface ReproduceRecord {
  readonly created: string
  /** The version and the machine that began it. */
  readonly zeroth: string
  readonly machine: Readonly<Record<string, string>>
  readonly settings: ReproduceSettings
  /** The folder of attacks of earlier reproductions, which are not made again. */
  readonly kept?: string | undefined
  /** The tables and figures wanted so far. */
  readonly what: readonly string[]
  /** Running time of all sessions, in seconds. */
  readonly seconds: number
  /** The sessions; missing in folders from before they were recorded. */
  readonly sittings?: readonly WorkSession[] | undefined
  /** How the last session was run: resuming does the same. */
  readonly conduct?: { readonly workers?: number | undefined; readonly only?: string | undefined } | undefined
}

/** What the folder is; undefined where there is none. One that holds other things is refused. */
export function readReproduction(folder: string): ReproduceRecord | undefined {
  const file = join(folder, reproductionFile)
  if (!existsSync(file)) {
    const [found] = existsSync(folder) ? readdirSync(folder) : []
    if (found === undefined) return undefined
    throw new ZerothError(
      'invalid-option',
      `${folder} is not empty (${found}) and is not a reproduction: choose another folder`,
    )
  }
  const damaged = (why: string) => new ZerothError('invalid-run', `${file} is damaged: ${why}`)
  let read: Record<string, unknown>
  try {
    read = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw cause instanceof SyntaxError ? damaged('it is no JSON') : cause
  }
  const { format, version, ...record } = read
  if (format !== 'zeroth-reproduction' || version !== 1) throw damaged('it is no zeroth-reproduction of version 1')
  return record as unknown as ReproduceRecord
}

/** What the folder is; one that holds no reproduction is refused. */
export function existingReproduction(folder: string): ReproduceRecord {
  const record = readReproduction(folder)
  if (record === undefined) throw new ZerothError('invalid-option', `there is no reproduction in ${folder}`)
  return record
}

/** Writes what a folder is. */
export function writeReproduction(folder: string, record: ReproduceRecord): void {
  const content = { format: 'zeroth-reproduction', version: 1, ...record }
  writeWholeFile(join(folder, reproductionFile), `${JSON.stringify(content, null, 2)}\n`)
}

/** The reproduction in a folder, begun if there is none; it keeps its settings, and given ones must be the same. */
export async function openReproduction(
  folder: string,
  given: GivenSettings,
  what: readonly string[],
  kept?: string,
): Promise<ReproduceRecord> {
  const there = readReproduction(folder)
  if (there !== undefined) checkSame(folder, there.settings, given)
  const { scale = 'quick', subject, ...rest } = { ...there?.settings, ...withoutGaps(given) }
  if (scale === 'full' && subject === undefined) {
    throw new ZerothError('invalid-option', '--scale full needs --model and --images: your own network and images')
  }
  if (scale !== 'full' && subject !== undefined) {
    throw new ZerothError('invalid-option', `--model needs --scale full: ${scale} has its own model`)
  }
  // What may not be attacked, or would put a secret on record, leaves no folder behind.
  if (there === undefined && subject !== undefined) await checkAllowed(subject)
  const about = there ?? begun()
  const wanted = [...new Set([...about.what, ...what])]
  await makeFolder(folder)
  const settings = { scale, ...rest, subject }
  const record = { ...about, settings, kept: kept ?? about.kept, what: wanted }
  writeReproduction(folder, record)
  return record
}

function begun(): Omit<ReproduceRecord, 'settings'> {
  return { created: now(), zeroth: zerothVersion(), machine: machine(), what: [], seconds: 0, sittings: [] }
}

function checkSame(folder: string, there: ReproduceSettings, given: GivenSettings): void {
  for (const [key, value] of Object.entries(withoutGaps(given))) {
    const old = there[key as keyof ReproduceSettings]
    if (isDeepStrictEqual(essence(old), essence(value))) continue
    const [was, wanted] = [old, value].map((each) => JSON.stringify(each) ?? 'not given')
    throw new ZerothError(
      'invalid-option',
      `${folder} is another reproduction: its ${key} is ${was}, not ${wanted}; choose another folder`,
    )
  }
}

/** Without what only says how a model is asked, which may change. */
function essence(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const conduct: readonly string[] = conductKeys
  return Object.fromEntries(Object.entries(value).filter(([key]) => !conduct.includes(key)))
}

function withoutGaps(given: GivenSettings): GivenSettings {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
