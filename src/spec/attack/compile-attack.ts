import type { Output } from '../../core/option-type.ts'
import type { ModelSource } from '../../models/index.ts'
import { compileObject } from '../compile-part.ts'
import type { CompileOptions } from '../compile-spec.ts'
import { fillObject } from '../fill-in.ts'
import { findPart } from '../known-parts.ts'
import { below, failAt, type Place, parseAt, wholeSpec } from '../place.ts'
import { checkPlainData, isObject, type Json, type JsonObject } from '../plain-data.ts'
import { type AttackSpec, attackOptions } from './attack-options.ts'
import { isRemote, isService } from './model-names.ts'
import { modelSource } from './model-source.ts'
import { smoothedSolver } from './smoothed-solver.ts'
import { writtenImages } from './written-images.ts'
import { writtenModel } from './written-model.ts'

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
const shortKeys = ['$schema', 'modelName', 'preprocessing', 'batch', 'resize', ...shortFor.solver, ...shortFor.problem]

/** What a model that is asked over HTTP is spared, unless the spec says otherwise. */
const remoteDefaults = { rate: 20, retries: 3 }

/** Checks an attack spec and fills it in. Every error says what is wrong, at which place, and what is allowed there. */
export function compileAttack(spec: AttackSpec | JsonObject, given: CompileOptions = {}): CompiledAttack {
  const { folder = process.cwd(), locate } = given
  const place = wholeSpec(locate)
  checkPlainData(spec, place)
  if (!isObject(spec)) throw failAt(place, ' must be an object of keys and values')
  if (spec.model === undefined) throw failAt(below(place, 'model'), ' is required: digits, cifar10, an .onnx file, ...')
  const whole = { ...spec, solver: withShorts('solver', spec, place), problem: withShorts('problem', spec, place) }
  const filled = fillObject(attackOptions.shape, whole, folder)
  const options = parseAt(place, attackOptions, compileObject(attackOptions.shape, filled, place))
  const at = { folder, place }
  const { modelName, batch } = options
  const model = writtenModel({ model: spec.model, preprocessing: spec.preprocessing, modelName, batch }, at)
  const images = writtenImages({ images: spec.images, resize: options.resize, model }, at)
  return {
    resolved: inOrder({
      ...(isService(model) ? remoteDefaults : {}),
      ...filled,
      model,
      images: filledImages(images),
      solver: solverOf(spec, filled),
    }),
    model: modelSource(model, options.jobs, place),
    isRemote: isRemote(model),
    place,
  }
}

/** The solver or the problem as `{ name, ...options }`, with what short keys say of it, which goes before its own. */
function withShorts(kind: keyof typeof shortFor, spec: JsonObject, place: Place): Json {
  const given = spec[kind] ?? (kind === 'solver' ? 'zo-adamm' : 'constrained')
  const part = kind === 'solver' ? smoothedSolver(given) : typeof given === 'string' ? { name: given } : given
  if (!isObject(part)) return given
  const known = findPart(kind === 'problem' ? 'attack' : kind, part.name)?.definition.options.shape ?? {}
  const made: Record<string, Json> = { ...(part as Record<string, Json>) }
  for (const key of shortFor[kind]) {
    const value = spec[key]
    if (value === undefined) continue
    if (!Object.hasOwn(known, key)) {
      throw failAt(below(place, key), ` does nothing for ${String(part.name)}: it has no option ${key}`)
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

/** A learning rate that nobody gave is left open: it depends on the model. */
function solverOf(spec: JsonObject, filled: JsonObject): Json {
  const { learningRate, ...rest } = filled.solver as Record<string, Json>
  const own = isObject(spec.solver) ? spec.solver.learningRate : undefined
  const isGiven = own !== undefined || spec.learningRate !== undefined
  return isGiven && learningRate !== undefined ? { ...rest, learningRate } : rest
}

/** The keys in the order of the schema; those that stand for others are left out. */
function inOrder(values: Readonly<Record<string, Json | undefined>>): JsonObject {
  const kept = Object.keys(attackOptions.shape).filter((key) => values[key] !== undefined && !shortKeys.includes(key))
  return Object.fromEntries(kept.map((key) => [key, values[key] as Json]))
}

/** The values of the keys that say how an attack is made, not what it is; they may change while it is under way. */
export const conductKeys: readonly (keyof Options)[] = ['failUnder', 'jobs', 'parallel', 'permitted', 'rate', 'retries']
