import type { Json, JsonObject } from '../../spec/index.ts'
import type { AttackRecord } from '../../work/evaluation/attack-record.ts'
import { countText } from '../number-text.ts'
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
    ['Method', solver as Json],
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
  'rate',
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
  return learningRate === undefined ? source : `${valueText(learningRate)} (${source})`
}

/** What is said of a learning rate that nobody gave; undefined where there is nothing to say. */
export function rateLine(solver: JsonObject, source: string): string | undefined {
  if (source === 'given' || source === 'none') return undefined
  return `learning rate${solver.learningRate === undefined ? ':' : ''} ${rateText(solver, source)}`
}

/** The limits an attack kept to: what it says about a model holds within them only. */
export function limitsText({ maxQueries, maxIterations, problem, universal }: JsonObject): string {
  const { name, linf, l2 } = problem as JsonObject
  const effort = [
    `${countText(Number(maxQueries))} queries`,
    ...(maxIterations === undefined ? [] : [`${countText(Number(maxIterations))} iterations`]),
  ]
  const sizes = Object.entries({ linf, l2 }).flatMap(([norm, size]) =>
    size === undefined ? [] : [`${size} (${norm})`],
  )
  const free = `changes of any size${name === 'constrained' ? ' (--linf, --l2 limit them)' : ''}`
  const changes = sizes.length === 0 ? free : `changes of at most ${sizes.join(' and ')}`
  return `${effort.join(' or ')} ${universal === true ? 'in all' : 'per image'}, ${changes}`
}

function valueText(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 197)}...` : text
}
