import { isDeepStrictEqual } from 'node:util'
import type { AttackLimits } from '../../attacks/records.ts'
import { ZerothError } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../spec/index.ts'
import type { AttackRecord } from '../../work/evaluation/attack-record.ts'
import { countText, limitText } from '../number-text.ts'
import type { SettingRows } from './attack-run.ts'

/** What an attack was made with, for programs: its spec, and what its model and its images turned out to be. */
export function settingsOf({ spec, rateSource, model, images }: AttackRecord): object {
  return { ...spec, rateSource, modelFound: model, imagesFound: images }
}

/** The same for people, names and values. */
export function settingRows({ spec, rateSource, model, images }: AttackRecord): SettingRows {
  const { name: solver, ...solverOptions } = spec.solver as JsonObject
  const { name: problem, ...limits } = spec.problem as JsonObject
  const { learningRate: _, ...others } = solverOptions
  const shape = model.shape as Record<string, number>
  const rows: [string, Json | undefined][] = [
    ['Model', modelText(spec.model as JsonObject)],
    [
      'Images it takes',
      `${shape.channels} x ${shape.height} x ${shape.width}, ${model.classes} classes, ${model.scores}`,
    ],
    ['Computed by', model.runtime],
    ['Images', `${images.name}, ${images.available} there`],
    ['Problem', problem as Json],
    ['Within', limitsText(spec)],
    ...Object.entries(limits).map(([key, value]): [string, Json] => [key, value as Json]),
    ['Solver', solver as Json],
    ['Learning rate', rateText(spec.solver as JsonObject, rateSource)],
    ...Object.entries(others).map(([key, value]): [string, Json] => [key, value as Json]),
    ...shownKeys.map((key): [string, Json | undefined] => [key, spec[key]]),
  ]
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, valueText(value)] as const]))
}

const shownKeys = [
  'lambda',
  'kappa',
  'class',
  'target',
  'count',
  'maxQueries',
  'maxIterations',
  'seed',
  'precision',
  'earlyStop',
  'universal',
  'failures',
  'failUnder',
  'allowUnfinished',
  'rate',
  'patience',
  'retries',
] as const

/** A model in a few words; nothing of it is secret, but not all of it is short. */
export function modelText({ name, file, url, model }: JsonObject): string {
  if (typeof file === 'string') return file
  if (typeof url === 'string') return model === undefined ? url : `${String(model)} at ${url}`
  return model === undefined ? String(name) : `${String(model)} (${String(name)})`
}

/** A learning rate and where it comes from. */
export function rateText({ learningRate }: JsonObject, source: string): string {
  return learningRate === undefined ? source : `${scheduleText(learningRate)} (${source})`
}

/** A number that may decay, as a formula. */
function scheduleText(schedule: Json): string {
  const { value, decay } = schedule as { readonly value?: number; readonly decay?: string }
  const divisor = { sqrt: ' / sqrt(t)', linear: ' / t', none: '' }[String(decay)]
  return value === undefined || divisor === undefined ? valueText(schedule) : `${value}${divisor}`
}

/** What is said of a learning rate that was not given; undefined where there is nothing to say. */
export function rateLine(solver: JsonObject, source: string): string | undefined {
  if (source === 'given' || source === 'none') return undefined
  return `learning rate${solver.learningRate === undefined ? ':' : ''} ${rateText(solver, source)}`
}

/** The limits an attack kept to: what it says about a model holds within them only. */
export function limitsText(spec: JsonObject): string {
  const { maxQueries, maxIterations, problem, universal } = spec
  const { name, linf, l2 } = problem as JsonObject
  const effort = [
    `${countText(Number(maxQueries))} queries`,
    ...(maxIterations === undefined ? [] : [`${countText(Number(maxIterations))} iterations`]),
  ]
  const sizes = Object.entries({ linf, l2 }).flatMap(([norm, size]) =>
    size === undefined ? [] : [`${[spec[norm] ?? size].flat().map(limitText).join(', ')} (${norm})`],
  )
  const several = [spec.linf, spec.l2].some(Array.isArray)
  const free = `changes of any size${name === 'constrained' ? ' (--linf, --l2 limit them)' : ''}`
  const changes = sizes.length === 0 ? free : `changes of at most ${sizes.join(' and ')}`
  const whose = universal === true ? 'in all' : several ? 'per image and limit' : 'per image'
  return `${effort.join(' or ')} ${whose}, ${changes}`
}

/** A limit in words, as in `linf 8/255`. */
export function limitName({ linf, l2 }: AttackLimits): string {
  return Object.entries({ linf, l2 })
    .flatMap(([norm, size]) => (size === undefined ? [] : [`${norm} ${limitText(size)}`]))
    .join(', ')
}

function valueText(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 197)}...` : text
}

/** An attack beside others. */
interface Compared {
  readonly name: string
  readonly record: AttackRecord
}

/** Names of settings that are said of every attack, also where they are the same. */
const ownNames = ['Solver', 'Learning rate', 'maxQueries', 'seed', 'earlyStop']

/** What the attacks of a page have in common, and what is each one's own; a single one has nothing of its own. */
export function comparedSettings(records: readonly AttackRecord[]): { common: SettingRows; own: SettingRows[] } {
  const all = records.map(settingRows)
  const valueIn = (rows: SettingRows, name: string) => rows.find(([each]) => each === name)?.[1]
  const names = [...new Set(all.flatMap((rows) => rows.map(([name]) => name)))]
  const isShared = (name: string) => new Set(all.map((rows) => valueIn(rows, name))).size === 1
  const own = records.length === 1 ? [] : names.filter((name) => ownNames.includes(name) || !isShared(name))
  return {
    common: (all[0] ?? []).filter(([name]) => !own.includes(name)),
    // The page says of every attack which problem it solves.
    own: all.map((rows) => rows.filter(([name]) => own.includes(name) && name !== 'Problem')),
  }
}

/** Attacks on different models or images say nothing about each other. */
export function checkComparable(attacks: readonly Compared[]): void {
  const [first, ...others] = attacks
  for (const other of others) {
    if (first === undefined) return
    const [one, two] = [first.record, other.record]
    if (!isDeepStrictEqual(modelOf(one), modelOf(two))) throw incomparable('models', modelName, first, other)
    if (!isDeepStrictEqual(imagesOf(one), imagesOf(two))) throw incomparable('images', imagesName, first, other)
  }
}

/** A model but for how many images it is asked about at a time. */
function modelOf({ spec }: AttackRecord): JsonObject {
  const { batch: _, ...model } = spec.model as JsonObject
  return model
}

/** The images with the class they are of: the same number is another image where that differs. */
function imagesOf({ spec }: Pick<AttackRecord, 'spec'>): Json[] {
  return [spec.images ?? null, spec.class ?? null]
}

function modelName({ spec }: AttackRecord): [short: string, long: Json] {
  return [modelText(spec.model as JsonObject), spec.model as Json]
}

function imagesName({ spec, images }: AttackRecord): [short: string, long: Json] {
  return [images.name, imagesOf({ spec })]
}

function incomparable(
  what: string,
  nameOf: (record: AttackRecord) => [string, Json],
  one: Compared,
  other: Compared,
): Error {
  const [[a, longA], [b, longB]] = [nameOf(one.record), nameOf(other.record)]
  const [first, second] = a === b ? [JSON.stringify(longA), JSON.stringify(longB)] : [a, b]
  const those = `${first} (${one.name}) and ${second} (${other.name})`
  return new ZerothError('invalid-option', `attacks on different ${what} cannot be compared: ${those}`)
}
