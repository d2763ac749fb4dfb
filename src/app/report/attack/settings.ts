import type { AttackLimits, LimitComparison } from '../../../robustness/records.ts'
import type { AttackRecord } from '../../jobs/evaluation/attack-record.ts'
import type { Json, JsonObject } from '../../spec/index.ts'
import { countText, limitText, percentText } from '../number-text.ts'
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

/** What is said of a learning rate that was not given; undefined if there is nothing to say. */
export function rateLine(solver: JsonObject, source: string): string | undefined {
  if (source === 'given' || source === 'none') return undefined
  return `learning rate${solver.learningRate === undefined ? ':' : ''} ${rateText(solver, source)}`
}

/** The limits an attack kept to: what it says about a model holds within them only. */
export function limitsText(spec: JsonObject): string {
  const { name, linf, l2 } = spec.problem as JsonObject
  const sizes = Object.entries({ linf, l2 }).flatMap(([norm, size]) =>
    size === undefined ? [] : [`${[spec[norm] ?? size].flat().map(limitText).join(', ')} (${norm})`],
  )
  const free = `changes of any size${name === 'constrained' ? ' (--linf, --l2 limit them)' : ''}`
  const changes = sizes.length === 0 ? free : `changes of at most ${sizes.join(' and ')}`
  return `${budgetText(spec)}, ${changes}`
}

/** How much an attack may query, as in `400 queries per image`. */
export function budgetText({ maxQueries, maxIterations, universal, linf, l2 }: Spec): string {
  const most = [
    ...(typeof maxQueries === 'number' ? [`${countText(maxQueries)} queries`] : []),
    ...(typeof maxIterations === 'number' ? [`${countText(maxIterations)} iterations`] : []),
  ]
  const each = [linf, l2].some(Array.isArray) ? 'per image and limit' : 'per image'
  return most.length === 0 ? '–' : `${most.join(' or ')} ${universal === true ? 'in all' : each}`
}

/** The model of a spec but for how many images it evaluates at a time: attacks on the same model can be compared. */
export function comparedModel({ model }: Spec): object {
  const { batch: _, ...rest } = (model ?? {}) as Spec
  return rest
}

/** Norms as pages write them. */
export const normNames = { linf: 'l∞', l2: 'l₂' } as const

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

/** Names of settings that are said of every attack, also if they are the same. */
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

type Spec = Readonly<Record<string, unknown>>

/** An attack beside others. */
interface ComparedSpec {
  readonly name: string
  readonly record: { readonly spec: Spec }
}

/** Keys of the spec that should be the same when methods are compared. */
const fairKeys = [
  'maxQueries',
  'maxIterations',
  'seed',
  'earlyStop',
  'count',
  'target',
  'universal',
  'lambda',
  'kappa',
  'precision',
  'failures',
] as const

const mostNamed = 3

/** In which settings attacks differ beside their methods, in words. */
export function differences(attacks: readonly ComparedSpec[]): string[] {
  const limits = ['linf', 'l2'].map(
    (key) => [key, (spec: Spec) => sizeText((spec.problem as Spec | undefined)?.[key])] as const,
  )
  const keys = fairKeys.map((key) => [key, (spec: Spec) => spec[key]] as const)
  return [...keys, ...limits].flatMap(([key, valueIn]) => {
    const names = new Map<string, string[]>()
    for (const { name, record } of attacks) {
      const found = valueIn(record.spec)
      const value = typeof found === 'string' ? found : (JSON.stringify(found) ?? 'none')
      names.set(value, [...(names.get(value) ?? []), name])
    }
    const groups = [...names].map(([value, those]) => `${value} (${someOf(those)})`)
    return groups.length > 1 ? [`${key} differs: ${groups.join(', ')}`] : []
  })
}

function sizeText(size: unknown): string | undefined {
  return size === undefined ? undefined : limitText(size)
}

function someOf(names: readonly string[]): string {
  const more = names.length - mostNamed
  return `${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Robust accuracy before and now, in a sentence. */
export function comparisonSentence(limit: LimitComparison, images?: number): string {
  const { kind, before, now, unmeasured } = limit
  const within = limitName(limit) === '' ? '' : ` within ${limitName(limit)}`
  const over = images === undefined ? '' : ` over the ${countText(images)} images in both`
  const word = { met: 'no worse', worse: 'worse', unjudged: 'cannot be judged' }[kind]
  const why = kind === 'unjudged' ? `: ${countText(unmeasured)} could not be measured` : ''
  return `robust accuracy${within} ${percentText(now)}, was ${percentText(before)}${over}: ${word}${why}`
}
