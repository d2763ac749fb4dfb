import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { Output, Shape } from '../../../optimizer/core/options.ts'
import type { ImageShape } from '../../../optimizer/core/types.ts'
import {
  type DecayingRate,
  defaultRate,
  embeddedModel,
  type ProblemName,
  tunedRate,
} from '../../../robustness/embedded/index.ts'
import type { ModelSource, OnnxProvider } from '../../../robustness/models/index.ts'
import { redisAddress } from '../../executors/queue/redis-address.ts'
import {
  compileObject,
  compilePart,
  fillObject,
  findPart,
  jsonOf,
  knowParts,
  partAt,
  resolvedKeys,
} from '../compile-part.ts'
import type { CompileOptions } from '../compile-spec.ts'
import { below, failAt, type Place, parseAt, wholeSpec, within } from '../place.ts'
import { checkPlainData, isObject, type Json, type JsonObject } from '../plain-data.ts'
import { refuseSecrets } from '../secrets.ts'
import { writtenClassNames, writtenImages } from './attack-images.ts'
import { type AttackSpec, attackOptions, writtenLimits } from './attack-options.ts'
import { decaysWritten } from './resolved-attack.ts'
import { embeddedNameOf, isOnCard, isRemote, isService, placesKeys, writtenModel } from './written-model.ts'

/** An attack spec that has been checked; nothing is opened yet. */
export interface CompiledAttack {
  /** The spec with every default filled in but those that only the open model can tell: plain JSON. */
  readonly resolved: JsonObject
  readonly model: ModelSource
  /** Whether the model is reached over HTTP. */
  readonly isRemote: boolean
  readonly place: Place
}

type Options = Output<typeof attackOptions>

/** Keys that stand for options of the solver and of the problem. */
const shortFor = { solver: ['learningRate', 'directions', 'smoothing'], problem: ['linf', 'l2'] } as const

/** Keys that stand for others, which a resolved spec has instead. */
const shortKeys = [
  '$schema',
  'modelName',
  'preprocessing',
  'batch',
  'input',
  'output',
  'providers',
  'resize',
  ...shortFor.solver,
  ...shortFor.problem,
]

/** Limits for a model reached over HTTP, unless the spec sets others. */
const remoteDefaults = { rate: 20, patience: 180 }

/** How many images are on the server of a queue at once, unless the spec says it. */
const queueDefaults = { parallel: 64 }

/** Checks an attack spec and fills it in. Every error says what is wrong, at which place, and what is allowed there. */
export async function compileAttack(
  written: AttackSpec | JsonObject,
  given: CompileOptions = {},
): Promise<CompiledAttack> {
  const { folder = process.cwd(), locate } = given
  const place = wholeSpec(locate)
  checkPlainData(written, place)
  if (!isObject(written)) throw failAt(place, ' must be an object of keys and values')
  await loadNamed(written)
  const { spec, lists } = writtenLimits(written, place)
  if (spec.model === undefined) throw failAt(below(place, 'model'), ' is required: digits, cifar10, an .onnx file, ...')
  const whole = {
    ...spec,
    solver: withShorts('solver', spec, place),
    problem: withShorts('problem', spec, place),
    ...(typeof spec.queue === 'string' ? { queue: { url: spec.queue } } : {}),
  }
  const filled = fillObject(attackOptions.shape, whole, folder)
  if (isObject(filled.queue)) refuseSecrets({}, filled.queue, below(place, 'queue'))
  const options = parseAt(place, attackOptions, compileObject(attackOptions.shape, filled, place))
  const at = { folder, place }
  const { modelName, batch, input, output, providers } = options
  const beside = { preprocessing: spec.preprocessing, modelName, batch, input, output, providers }
  const classNames = writtenClassNames(spec, at)
  const model = namedClasses(writtenModel({ model: spec.model, ...beside }, at), classNames)
  const images = writtenImages({ images: spec.images, resize: options.resize, model }, at)
  checkQueue(filled, options, place)
  const standard = { ...(isService(model) ? remoteDefaults : {}), ...(filled.queue === undefined ? {} : queueDefaults) }
  const own = { model, images: filledImages(images), solver: solverOf(spec, filled), classNames }
  return {
    resolved: resolvedKeys(
      attackOptions.shape,
      { ...standard, ...filled, ...own, ...lists },
      shortKeys.filter((key) => !Object.hasOwn(lists, key)),
    ),
    model: modelSource(model, options.jobs, place),
    isRemote: isRemote(model),
    place,
  }
}

/** Loads what an attack names beside its own methods and the embedded networks: most attacks need nothing more. */
export async function loadNamed({ model, solver = null }: JsonObject): Promise<void> {
  if (!textsIn(solver).every((text) => findPart('solver', text) !== undefined)) {
    const { knowAllParts } = await import('../all-parts.ts')
    knowAllParts()
  } else if (embeddedNameOf(isObject(model) ? model : { name: model as Json }) === undefined) {
    const { models } = await import('../../../robustness/models/index.ts')
    knowParts({ model: models })
  }
}

function textsIn(json: Json): string[] {
  if (typeof json !== 'object' || json === null) return typeof json === 'string' ? [json] : []
  return Object.values(json).flatMap(textsIn)
}

/** A service that answers with the names of classes needs to know them, too. */
function namedClasses(model: JsonObject, classNames: Json | undefined): JsonObject {
  const isNamed = model.name === 'http-classifier' && model.classPath !== undefined && model.classNames === undefined
  return isNamed && classNames !== undefined ? { ...model, classNames } : model
}

/** Refuses an address that is none, and attacks that cannot be shared out. */
function checkQueue({ queue }: JsonObject, { universal }: Options, place: Place): void {
  if (!isObject(queue)) return
  within(below(place, 'queue'), () => redisAddress(queue.url as never))
  if (!universal) return
  const why = 'one perturbation for all images is sought on one machine'
  throw failAt(below(place, 'queue'), ` does nothing for universal attacks: ${why}; leave out queue, or universal`)
}

/** The solver or the problem as `{ name, ...options }`, with what short keys say of it, which goes before its own. */
function withShorts(kind: keyof typeof shortFor, spec: JsonObject, place: Place): Json {
  const given = spec[kind] ?? (kind === 'solver' ? defaultSolver : 'constrained')
  const part = kind === 'solver' ? smoothedSolver(given) : typeof given === 'string' ? { name: given } : given
  if (!isObject(part)) return given
  const known = findPart(kind === 'problem' ? 'attack' : kind, part.name)?.definition.options.shape ?? {}
  const made: Record<string, Json> = { ...(part as Record<string, Json>) }
  for (const key of shortFor[kind]) {
    const value = spec[key]
    if (value === undefined) continue
    if (!Object.hasOwn(known, key)) {
      const isDefault = kind === 'solver' && spec.solver === undefined
      const advice = isDefault ? '; name a solver that has it, such as zo-adamm' : ''
      throw failAt(below(place, key), ` does nothing for ${String(part.name)}: it has no option ${key}${advice}`)
    }
    made[key] = value
  }
  return made
}

/** The options of images with their defaults, which those given by a name alone have, too. */
function filledImages(images: Json): Json | undefined {
  const { shape } = attackOptions
  return fillObject({ images: shape.images }, { images }, '').images
}

/** A learning rate that was not given is left open: it depends on the model. A bare number decays as those do. */
function solverOf(spec: JsonObject, filled: JsonObject): Json {
  const { learningRate, ...rest } = filled.solver as Record<string, Json>
  const own = isObject(spec.solver) ? spec.solver.learningRate : undefined
  const isGiven = own !== undefined || spec.learningRate !== undefined
  return decaysWritten(isGiven && learningRate !== undefined ? { ...rest, learningRate } : rest)
}

/** The values of the keys that say how an attack is made, not what it is; they may change while it is under way. */
export const conductKeys: readonly (keyof Options)[] = [
  'allowUnfinished',
  'failUnder',
  'jobs',
  'parallel',
  'patience',
  'permitted',
  'queue',
  'rate',
  'retries',
  'threads',
]

/** Bytes of a network from which on a second copy of it is worth its thread. */
const large = 500_000

/** Copies of a network at most, unless more are asked for: they share memory and its speed. */
const most = 4

/** The model that was written, with that many calls in flight at once; nothing is opened yet. */
function modelSource(written: JsonObject, jobs: number | undefined, place: Place): ModelSource {
  const name = embeddedNameOf(written)
  if (name !== undefined) {
    const isOne = name === 'digits' || isOnCard(written)
    const sessions = jobs ?? (written.sessions as number | undefined) ?? (isOne ? 1 : copies())
    const providers = written.providers as OnnxProvider[] | undefined
    return embeddedModel(name, { batch: written.batch as number, sessions, providers })
  }
  const at = below(place, 'model')
  const { shape } = partAt('model', String(written.name), at).definition.options
  const key = placesKeys.find((each) => Object.hasOwn(shape, each))
  if (key === undefined && jobs !== undefined) {
    throw failAt(below(place, 'jobs'), ` does nothing for ${written.name}, which is one function`)
  }
  const places = jobs ?? (written.name === 'onnx' && written.sessions === undefined ? sessionsFor(written) : undefined)
  const extra = key === undefined || places === undefined ? {} : { [key]: places }
  return compilePart('model', { ...written, ...extra }, at) as unknown as ModelSource
}

/** A call of a small network is over before another thread has heard of it, and a card is one however many ask it. */
function sessionsFor(written: JsonObject): number {
  const { file } = written
  if (typeof file !== 'string' || isOnCard(written)) return 1
  const size = /^https?:/i.test(file) ? large : (statSync(file, { throwIfNoEntry: false })?.size ?? 0)
  return size >= large ? copies() : 1
}

function copies(): number {
  return Math.min(availableParallelism(), most)
}

/** A learning rate, and why this one, in words. */
interface ChosenRate {
  /** Undefined where the solver shall use its own, or has one already. */
  readonly learningRate: DecayingRate | undefined
  readonly source: string
}

/** What attacks do unless they are told otherwise, and what they take `auto` for. */
const defaultSolver = 'strongest'

/** The paper's smoothing for attacks, with pixels one apart from black to white; solvers have a smaller one. */
const smoothing = 0.005

/**
 * A solver as an attack means it, and so the solvers inside it: with the paper's smoothing where it says none, and with the
 * paper's probes, which may leave the box of the pixels by their length.
 */
export function smoothedSolver(given: Json): Json {
  const part = named(given)
  if (!isObject(part)) return given
  const known = optionsOf(part.name)
  const inside = Object.entries(known).flatMap(([key, { description, default: standard }]): [string, Json][] => {
    if (description.type !== 'part' || description.kind !== 'solver') return []
    const own = part[key]
    if (own !== undefined) return [[key, smoothedSolver(own)]]
    const usual = jsonOf(standard?.())
    return isObject(usual) ? [[key, { ...usual, ...attackDefaults(optionsOf(usual.name)) }]] : []
  })
  return { ...attackDefaults(known), ...part, ...Object.fromEntries(inside) }
}

/** A solver as `{ name, ...options }`; `auto` alone means the default of attacks, not that of other problems. */
function named(given: Json): Json {
  const part = typeof given === 'string' ? { name: given } : given
  return isObject(part) && part.name === 'auto' && Object.keys(part).length === 1 ? { name: defaultSolver } : part
}

/** Those options of a solver that attacks have other defaults for. */
function attackDefaults(known: Shape): Record<string, Json> {
  const usual = { smoothing, feasible: false }
  return Object.fromEntries(Object.entries(usual).filter(([key]) => Object.hasOwn(known, key)))
}

function optionsOf(name: Json | undefined): Shape {
  return findPart('solver', name)?.definition.options.shape ?? {}
}

/** The learning rate for an attack that names none: tuned for this model, or by the number of pixels. */
export function chosenRate({ solver, problem, model }: JsonObject, shape: ImageShape): ChosenRate {
  const { name, learningRate } = solver as { readonly name: string; readonly learningRate?: unknown }
  if (learningRate !== undefined) return { learningRate: undefined, source: 'given' }
  if (findPart('solver', name)?.definition.options.shape.learningRate === undefined) {
    return { learningRate: undefined, source: 'none' }
  }
  const form = (problem as { readonly name: string }).name as ProblemName
  const embedded = embeddedNameOf(model as JsonObject)
  const tuned = embedded === undefined ? undefined : tunedRate(embedded, form, name)
  if (tuned !== undefined) return { learningRate: tuned, source: `tuned for ${embedded}` }
  const pixels = shape.channels * shape.height * shape.width
  const usual = defaultRate(form, name, pixels)
  if (usual !== undefined)
    return { learningRate: usual, source: `for ${pixels} pixel values; zeroth attack --tune-solver finds a better one` }
  return { learningRate: undefined, source: `left to ${name} itself` }
}
