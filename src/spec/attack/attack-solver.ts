import type { Shape } from '../../core/option-type.ts'
import type { ImageShape } from '../../core/types.ts'
import { type DecayingRate, defaultRate, type ProblemName, tunedRate } from '../../embedded/index.ts'
import { jsonOf } from '../fill-in.ts'
import { findPart } from '../known-parts.ts'
import { isObject, type Json, type JsonObject } from '../plain-data.ts'
import { embeddedNameOf } from './written-model.ts'

/** A learning rate, and why this one, in words. */
interface ChosenRate {
  /** Undefined where the solver shall use its own, or has one already. */
  readonly learningRate: DecayingRate | undefined
  readonly source: string
}

/** What attacks do unless they are told otherwise, and what they take `auto` for. */
export const defaultSolver = 'strongest'

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
  const inside = Object.entries(known).flatMap(([key, { about, standard }]): [string, Json][] => {
    if (about.type !== 'part' || about.kind !== 'solver') return []
    const own = part[key]
    if (own !== undefined) return [[key, smoothedSolver(own)]]
    const usual = jsonOf(standard?.())
    return isObject(usual) ? [[key, { ...usual, ...attackOptions(optionsOf(usual.name)) }]] : []
  })
  return { ...attackOptions(known), ...part, ...Object.fromEntries(inside) }
}

/** A solver as `{ name, ...options }`; `auto` alone means the default of attacks, not that of other problems. */
function named(given: Json): Json {
  const part = typeof given === 'string' ? { name: given } : given
  return isObject(part) && part.name === 'auto' && Object.keys(part).length === 1 ? { name: defaultSolver } : part
}

/** Those options of a solver that attacks have other defaults for. */
function attackOptions(known: Shape): Record<string, Json> {
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
    return { learningRate: usual, source: `for ${pixels} pixel values; zeroth tune finds a better one` }
  return { learningRate: undefined, source: `left to ${name} itself` }
}
