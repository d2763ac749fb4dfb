import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { embeddedModel } from '../../embedded/index.ts'
import type { ModelSource } from '../../models/index.ts'
import { compilePart } from '../compile-part.ts'
import { partAt } from '../known-parts.ts'
import { below, failAt, type Place } from '../place.ts'
import type { JsonObject } from '../plain-data.ts'
import { embeddedNameOf } from './model-names.ts'
import { placesKeys } from './written-model.ts'

/** Bytes of a network from which on a second copy of it is worth its thread. */
const large = 500_000

/** Copies of a network at most, unless more are asked for: they share memory and its speed. */
const most = 4

/** The model that was written, with so many calls under way at once; nothing is opened yet. */
export function modelSource(written: JsonObject, jobs: number | undefined, place: Place): ModelSource {
  const name = embeddedNameOf(written)
  if (name !== undefined) {
    const sessions = jobs ?? (written.sessions as number | undefined) ?? (name === 'digits' ? 1 : copies())
    return embeddedModel(name, { batch: written.batch as number, sessions })
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

/** A call of a small network is over before another thread has heard of it. */
function sessionsFor({ file }: JsonObject): number {
  if (typeof file !== 'string') return 1
  const size = /^https?:/i.test(file) ? large : (statSync(file, { throwIfNoEntry: false })?.size ?? 0)
  return size >= large ? copies() : 1
}

function copies(): number {
  return Math.min(availableParallelism(), most)
}
