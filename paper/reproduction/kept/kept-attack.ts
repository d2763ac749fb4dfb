import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { makeFolder } from '../../../src/app/jobs/folders.ts'
import { writeWholeFile } from '../../../src/app/store/index.ts'
import { ZerothError } from '../../../src/index.ts'
import { jsonSafe } from '../../../src/optimizer/core/exact-json.ts'
import { type AttackReport, type ImageRecord, parseStored, storedReport } from '../../../src/robustness/index.ts'
import type { WorkSession } from '../page/provenance.ts'
import type { Cell, Plain } from '../tables/experiment.ts'
import { shortCourse } from '../tables/measures.ts'
import { imageColumns, type KeptCourse, keptImage, olderColumns, readKeptImage } from './kept-image.ts'

/** What is kept of an attack of a reproduction: enough to draw every table and figure again, and to go on from. */
export interface KeptAttack {
  readonly profile: string
  readonly name: string
  /** What decides its results beside model and images. */
  readonly spec: { readonly [key: string]: Plain }
  /** Images that were to be attacked. */
  readonly count: number
  /** The sessions of the reproduction that it comes from. */
  readonly sessions: readonly WorkSession[]
  /** What the model takes and gives, and where it was computed. */
  readonly model: { readonly [key: string]: Plain }
  /** Its report without the images; undefined where it has not come to its end. */
  readonly report: Omit<AttackReport, 'images'> | undefined
  /** The images it is done with, their courses shortened. */
  readonly images: readonly ImageRecord[]
}

const format = { format: 'zeroth-kept-attack', version: 1 }

/** Keys of an attack spec that decide what becomes of an image. */
const deciding = [
  ...['problem', 'universal', 'class', 'solver', 'lambda', 'kappa', 'maxIterations', 'maxQueries', 'secondMethod'],
  'seed',
]

/** What of a spec decides the results: of a universal attack, also how many images there are. */
export function decidingOf(spec: Cell['spec']): Cell['spec'] {
  const keys = spec.universal === true ? [...deciding, 'count'] : deciding
  return Object.fromEntries(keys.flatMap((key) => (spec[key] === undefined ? [] : [[key, spec[key] as Plain]])))
}

/** Where an attack is kept, below the folder of those that are. */
export function keptFile(folder: string, profile: string, { name, spec }: Pick<Cell, 'name' | 'spec'>): string {
  return join(folder, profile, `${name}-${spec.maxIterations}-seed-${spec.seed}.json`)
}

/** Keeps an attack: the same bytes for the same attack, a line for each image. */
export async function writeKept(file: string, attack: KeptAttack): Promise<void> {
  const { images, report, ...about } = attack
  const curve = images.find((image) => image.curve !== null)?.curve
  const { iteration, queries } = curve == null ? {} : shortCourse(curve)
  const course = iteration === undefined ? null : { iteration, queries }
  const rows = images.map((image) => keptImage(image, (course ?? undefined) as KeptCourse | undefined))
  const parts = { ...format, ...about, report: report ?? null, course, columns: imageColumns }
  const head = Object.entries(parts).map(([key, value]) => `${JSON.stringify(key)}: ${text(value)},\n`)
  await makeFolder(dirname(file))
  writeWholeFile(file, `{\n${head.join('')}"images": [\n${rows.map(text).join(',\n')}\n]\n}\n`)
}

function text(value: unknown): string {
  return JSON.stringify(jsonSafe(value))
}

/** Reads an attack that was kept; undefined where there is none. */
export function readKept(file: string): KeptAttack | undefined {
  if (!existsSync(file)) return undefined
  try {
    const read = JSON.parse(readFileSync(file, 'utf8'))
    if (read.format !== format.format || read.version !== format.version) throw new Error('it is of another format')
    if (![imageColumns, olderColumns].some((columns) => isDeepStrictEqual(read.columns, [...columns])))
      throw new Error('it has other columns')
    const { profile, name, spec, count, sessions, model, course, report } = read
    const images = read.images.map((row: unknown[]) => readKeptImage(row, course ?? undefined))
    const whole = report === null ? undefined : parseStored(storedReport, { ...report, images: [] })
    return { profile, name, spec, count, sessions, model, images, report: whole }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new ZerothError('invalid-run', `${file} is damaged: ${why}`, { cause })
  }
}
