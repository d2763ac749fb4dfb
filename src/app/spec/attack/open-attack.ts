import { ZerothError } from '../../../optimizer/core/errors.ts'
import { parseOptions } from '../../../optimizer/core/options.ts'
import type { Solver } from '../../../optimizer/core/types.ts'
import { nearestBoundary, square } from '../../../parts.ts'
import { type Dataset, imagesOfClass } from '../../../robustness/images/index.ts'
import {
  type Formulation,
  type RobustnessOptions,
  robustnessOptions,
  settingsWarnings,
} from '../../../robustness/index.ts'
import {
  type Model,
  type ModelOutage,
  type PersistentModel,
  paced,
  persistent,
  withClassesOf,
} from '../../../robustness/models/index.ts'
import { compilePart } from '../compile-part.ts'
import { below, failAt, type Place, wholeSpec } from '../place.ts'
import type { JsonObject } from '../plain-data.ts'
import { namedImages, numberedClasses, type OpenedImages, openImages } from './attack-images.ts'
import { type CompiledAttack, chosenRate, loadNamed } from './compile-attack.ts'
import { limitsOf } from './resolved-attack.ts'

/** An attack with its model and its images open. The caller closes the model. */
export interface OpenedAttack {
  readonly model: Model
  readonly dataset: Dataset
  /** The spec with nothing left open: plain JSON that gives the same attack again. */
  readonly resolved: JsonObject
  /** Where the learning rate comes from, in words. */
  readonly rateSource: string
  /** Images that were sent again because a call had failed. */
  readonly retries: () => number
  /** Has someone told while the model is silent and asked again and again; nobody if left out. */
  readonly onOutage: (onOutage?: (silence: ModelOutage) => void) => void
}

/** Opens the model and the images of an attack; a service is not asked anything without permission. */
export async function openAttack(compiled: CompiledAttack): Promise<OpenedAttack> {
  const { model: source } = compiled
  requirePermission(compiled)
  const bare = await source.open().catch((error: unknown) => {
    throw withUse(error)
  })
  try {
    const { dataset, written, resolved, known } = await openAttackImages(compiled, bare)
    const { learningRate, source: rateSource } = chosenRate(resolved, bare.shape)
    const solver = {
      ...(resolved.solver as JsonObject),
      ...(learningRate === undefined ? {} : { learningRate: { ...learningRate } }),
    }
    const complete = { ...resolved, images: written, solver }
    // A method that cannot begin on images of this size is refused before anything is queried or saved.
    settingsWarnings(parseOptions('spec', robustnessOptions, await robustnessOf(complete)), known)
    const model = careful(known, resolved)
    return {
      model,
      dataset,
      resolved: complete,
      rateSource,
      retries: () => (model as Partial<PersistentModel>).retries ?? 0,
      onOutage(onOutage) {
        if ('onOutage' in model) (model as PersistentModel).onOutage = onOutage
      },
    }
  } catch (error) {
    await bare.close()
    throw error
  }
}

/** Opens the images of an attack for a model, which has as many classes then as the images know of. */
export async function openAttackImages(
  { resolved: given, place }: Pick<CompiledAttack, 'resolved' | 'place'>,
  bare: Model,
): Promise<OpenedImages & Pick<OpenedAttack, 'resolved'> & { readonly known: Model }> {
  const { dataset: found, written } = await openImages(given.images as never, bare.shape)
  checkLabels(found, place)
  const known = withClassesOf(bare, found)
  const all = namedImages(found, given, known.classes, place)
  const resolved = numberedClasses(given, all.classNames, place)
  checkClasses(resolved, known, place)
  const dataset = resolved.class === undefined ? all : imagesOfClass(all, resolved.class as number)
  checkShape(dataset, bare, place)
  return { dataset, written, resolved, known }
}

/** Says what a missing package is needed for. */
function withUse(error: unknown): unknown {
  if (!(error instanceof ZerothError) || error.code !== 'missing-package') return error
  return new ZerothError(error.code, `zeroth attack on ${error.message}`)
}

/** Refuses a model over HTTP unless the spec says that it may be attacked. */
export function requirePermission({
  resolved,
  isRemote,
  place,
}: Pick<CompiledAttack, 'resolved' | 'isRemote' | 'place'>): void {
  if (isRemote && resolved.permitted !== true) throw notPermitted(place)
}

function checkClasses(resolved: JsonObject, { classes }: Model, place: Place): void {
  for (const key of ['class', 'target']) {
    const value = resolved[key]
    if (typeof value !== 'number' || value < classes) continue
    throw failAt(below(place, key), ` must be a class of the model, from 0 to ${classes - 1}, got ${value}`)
  }
  if (resolved.class === undefined || resolved.class !== resolved.target) return
  throw failAt(below(place, 'class'), ` must not be the target: images of class ${resolved.class} are in it already`)
}

/** Images of which no class is known cannot be misclassified; single ones are left out later. */
function checkLabels({ name, count, label }: Dataset, place: Place): void {
  for (let index = 0; index < count; index++) if (label(index) !== undefined) return
  const advice = 'put them into a folder for each class, or add a table labels.csv (file,label)'
  throw failAt(below(place, 'images'), `: no class of the images of ${name} is known: ${advice}`, 'invalid-data')
}

/** Images that are all of another size are of no use at all; single ones are left out later. */
function checkShape({ shape, name }: Dataset, model: Model, place: Place): void {
  if (shape === undefined) return
  const [given, taken] = [shape, model.shape].map((each) => `${each.channels} x ${each.height} x ${each.width}`)
  if (given === taken) return
  const sizes = `${name} has images of ${given}, but the model takes ${taken} (channels x height x width)`
  throw failAt(below(place, 'images'), `: ${sizes}`, 'invalid-data')
}

/** What a resolved attack spec asks of the evaluation. */
export async function robustnessOf(resolved: JsonObject): Promise<RobustnessOptions> {
  await loadNamed(resolved)
  const place = wholeSpec()
  const { solver, problem } = resolved
  const own = Object.keys(robustnessOptions.shape).filter((key) => resolved[key] !== undefined)
  const form = (limits: object): Formulation =>
    compilePart('attack', { ...(problem as JsonObject), ...limits } as never, below(place, 'problem')) as never
  const { norm, sizes = [] } = limitsOf(resolved) ?? {}
  const smaller = norm === undefined ? [] : sizes.slice(0, -1).map((size) => form({ [norm]: size }))
  return {
    ...(Object.fromEntries(own.map((key) => [key, resolved[key]])) as object),
    solver: compilePart('solver', solver as never, below(place, 'solver')) as unknown as Solver,
    second: secondMethod(resolved),
    formulation: form({}),
    ...(smaller.length === 0 ? {} : { smaller: smaller.reverse() }),
  }
}

/** Longest wait between two attempts, in milliseconds, unless the other side asks for more: a restart is noticed soon. */
const maxDelay = 5000

/** Attempts where only the patience counts. */
const anyNumber = 1000

/** A model within its rate limit that retries failed calls: every attempt counts against the rate. */
function careful(model: Model, { rate, retries, patience }: JsonObject): Model {
  const slow = rate === undefined ? model : paced(model, { perSecond: rate as number })
  if (retries === 0 || (retries === undefined && patience === undefined)) return slow
  const attempts = retries === undefined ? anyNumber : (retries as number) + 1
  return persistent(slow, {
    attempts,
    maxDelay,
    patience: patience === undefined ? undefined : 1000 * Number(patience),
  })
}

function notPermitted(place: Place): Error {
  const what = ': the model is reached over HTTP. Attack only what is yours or what its owner lets you test'
  return failAt(
    below(place, 'permitted'),
    `${what}, and say so with --permitted (permitted: true); docs/responsible-use.md says more. Nothing was sent`,
  )
}

/** Methods that are several in a row already. */
const sequences = ['auto', 'strongest', 'two-phase']

/** Methods that follow no slope. */
const slopeless = ['square', 'simba', 'sign-hunter']

/**
 * What is tried on images that withstand the method of a spec: random squares after a method that follows slopes, which a
 * model may hide, and slopes after one that does not.
 */
function secondMethod({ secondMethod: isWanted, solver, problem, universal }: JsonObject): Solver | undefined {
  const { name } = solver as { name: string }
  if (isWanted !== true || universal === true || sequences.includes(name)) return undefined
  if (slopeless.includes(name)) return nearestBoundary()
  const { linf } = problem as { linf?: number }
  return square(linf === undefined ? {} : { radius: linf })
}
