import { statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ZerothError } from '../../../index.ts'
import {
  Issue,
  integerFrom,
  json,
  listOf,
  nullable,
  number,
  numberWithin,
  oneOf,
  optional,
  recordOf,
  table,
  text,
} from '../../../optimizer/core/options.ts'
import {
  type AttackLimits,
  type AttackReport,
  type ImageRecord,
  type Outcome,
  withinLimit,
} from '../../../robustness/index.ts'
import type { Json, JsonObject } from '../../spec/index.ts'
import { readOrdinary, writeWholeFile } from '../../store/index.ts'
import { isAttack } from '../folders.ts'
import { layout } from './attack-files.ts'
import type { AttackRecord } from './attack-record.ts'
import { readEvaluation, type StoredAttack } from './status.ts'

const outcomes = ['robust', 'fooled', 'misclassified', 'unmeasured'] as const satisfies readonly Outcome[]

/** An image of a baseline; `outcomes` has one for each limit, the smallest first. */
interface BaselineImage {
  readonly index: number
  readonly title: string
  readonly label: number | null
  readonly outcomes: readonly Outcome[]
}

/** What later evaluations are compared with: settings that must be the same, and how each image fared. */
export interface Baseline {
  readonly created: string
  readonly zeroth: string
  readonly settings: JsonObject
  /** Of several limits each, the smallest first; otherwise one that says nothing. */
  readonly limits: readonly AttackLimits[]
  readonly images: readonly BaselineImage[]
}

const format = 'zeroth-baseline'
const size = optional(number)

const storedBaseline = table({
  format: oneOf(format),
  version: oneOf(1),
  created: text,
  zeroth: text,
  settings: recordOf(json),
  limits: listOf(table({ linf: size, l2: size }), 1),
  images: listOf(
    table({
      index: integerFrom(0),
      title: text,
      label: nullable(numberWithin({}, true)),
      outcomes: listOf(oneOf(...outcomes), 1),
    }),
  ),
})

/** The baseline that an evaluation is for later ones. */
export function baselineOf({ record, report }: Pick<StoredAttack, 'record' | 'report'>): Baseline {
  const { limits = [{}] } = report.summary
  return {
    created: record.created,
    zeroth: record.zeroth,
    settings: comparableSettings(record.spec, record.rateSource),
    limits: limits.map(({ linf, l2 }: AttackLimits) => ({
      ...(linf === undefined ? {} : { linf }),
      ...(l2 === undefined ? {} : { l2 }),
    })),
    images: report.images.map((image) => baselineImage(image, report)),
  }
}

function baselineImage(image: ImageRecord, { summary: { limits } }: AttackReport): BaselineImage {
  const { index, title, label } = image
  const statuses = limits?.map((limit) => withinLimit(image, limit)?.status ?? image.status) ?? [image.status]
  return { index, title, label, outcomes: statuses.map((status) => outcomeOf(image, status)) }
}

function outcomeOf({ label, predicted }: ImageRecord, status: string): Outcome {
  if (status === 'robust' || status === 'fooled') return status
  if (status !== 'skipped') return 'unmeasured'
  return predicted === label ? 'robust' : 'misclassified'
}

/** Keys of a spec that must be the same for two evaluations to be compared; the model may be another. */
const comparedKeys = [
  'problem',
  'linf',
  'l2',
  'solver',
  'maxQueries',
  'maxIterations',
  'earlyStop',
  'universal',
  'target',
  'class',
  'count',
  'kappa',
  'lambda',
  'seed',
  'precision',
] as const

/** What must be the same: how the images are attacked. A learning rate that was not given follows from the model. */
export function comparableSettings(spec: JsonObject, rateSource: string): JsonObject {
  const { learningRate, ...solver } = spec.solver as Record<string, Json>
  const own = rateSource === 'given' && learningRate !== undefined ? { ...solver, learningRate } : solver
  const all: Readonly<Record<string, Json | undefined>> = { ...spec, solver: own }
  const kept = comparedKeys.filter((key) => all[key] !== undefined)
  return Object.fromEntries(kept.map((key) => [key, all[key] as Json]))
}

/** In which settings an evaluation differs from its baseline, in words; a class that is given by name is not known yet. */
export function settingDifferences({ settings: before }: Baseline, now: JsonObject): string[] {
  return comparedKeys.flatMap((key) => {
    const [old, own] = [before[key], now[key]]
    const isOpen = (key === 'target' || key === 'class') && typeof own === 'string' && own !== 'next'
    if (isOpen || isDeepStrictEqual(old, own)) return []
    return [`${key} is ${shown(own)}, was ${shown(old)}`]
  })
}

function shown(value: Json | undefined): string {
  const text = value === undefined ? 'not given' : JSON.stringify(value)
  return text.length > 100 ? `${text.slice(0, 97)}...` : text
}

/** Refuses to compare what is not comparable, and says why. */
export function refuseDifferences(differences: readonly string[], file: string): void {
  if (differences.length === 0) return
  const list = differences.slice(0, 5).join('; ')
  const more = differences.length > 5 ? ` and ${differences.length - 5} more` : ''
  throw new ZerothError('invalid-option', `${file} cannot be compared with this evaluation: ${list}${more}`)
}

/** Writes a baseline. */
export function writeBaseline(file: string, baseline: Baseline): void {
  writeWholeFile(file, `${JSON.stringify({ format, version: 1, ...baseline }, null, 1)}\n`)
}

/** Reads a baseline: a file that `writeBaseline` wrote, the folder of an evaluation, or the summary.json in it. */
export function readBaseline(file: string): Baseline {
  const info = statSync(file, { throwIfNoEntry: false })
  if (info === undefined) throw noBaseline(file, 'there is no such file or folder')
  const folder = info.isDirectory() ? file : dirname(file)
  if (info.isDirectory() || basename(file) === layout.summary) return evaluatedBaseline(file, folder)
  let read: unknown
  try {
    read = JSON.parse(new TextDecoder().decode(readOrdinary(file)))
  } catch (error) {
    throw noBaseline(file, error instanceof SyntaxError ? 'not valid JSON' : (error as Error).message)
  }
  const found = storedBaseline.read(read)
  if (!(found instanceof Issue)) {
    const { format: _, version: __, ...baseline } = found
    return baseline as Baseline
  }
  const said = (read as { format?: unknown } | null)?.format
  if (said === format) throw noBaseline(file, `it is damaged at ${found.path.join('.') || 'its beginning'}`)
  throw noBaseline(file, `its format is ${JSON.stringify(said) ?? 'not given'}`)
}

function evaluatedBaseline(file: string, folder: string): Baseline {
  if (!isAttack(folder)) throw noBaseline(file, `there is no attack.json in ${folder}, which says how it was made`)
  const attack: { record: AttackRecord; report: AttackReport } = readEvaluation(folder)
  return baselineOf(attack)
}

function noBaseline(file: string, why: string): ZerothError {
  const allowed = 'a file that --write-baseline wrote, the folder of an attack, or its summary.json'
  return new ZerothError('invalid-option', `${file} is not a baseline file (${why}); expected ${allowed}`)
}
