import type { ImageShape } from '../../core/types.ts'
import { defaultRate, type ProblemName, tunedRate } from '../../embedded/index.ts'
import { findPart } from '../known-parts.ts'
import type { JsonObject } from '../plain-data.ts'
import { embeddedNameOf } from './model-names.ts'

/** A learning rate, and why this one, in words. */
export interface ChosenRate {
  /** Undefined where the solver shall use its own, or has one already. */
  readonly learningRate: number | undefined
  readonly source: string
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
