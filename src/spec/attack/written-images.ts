import { isAbsolute, resolve } from 'node:path'
import { nearest, show } from '../../core/errors.ts'
import { below, failAt } from '../place.ts'
import { isObject, type Json, type JsonObject } from '../plain-data.ts'
import { embeddedModels, embeddedNameOf } from './model-names.ts'
import type { SpecPlace } from './written-model.ts'

/** What an attack spec says about its images. */
export interface ImageKeys {
  readonly images?: Json | undefined
  readonly resize?: string | undefined
  /** As it is written out. */
  readonly model: JsonObject
}

/** Embedded images: those that results are reported on, and those that settings are chosen on. */
const splits = ['held-out', 'tuning'] as const

/** Options that are paths. */
const pathKeys = { folder: ['folder'], idx: ['images', 'labels'], cifar: ['images', 'labels'] } as const

/** The images of an attack spec: `digits:held-out`, or `{ folder }`, `{ idx }` or `{ cifar }` with absolute paths. */
export function writtenImages({ images, resize, model }: ImageKeys, at: SpecPlace): Json {
  const written = images === undefined ? imagesOf(model, at) : isObject(images) ? images : namedImages(images, at)
  const kinds = isObject(written) ? Object.keys(written) : []
  if (isObject(written) && kinds.length !== 1) {
    throw failAt(
      below(at.place, 'images'),
      ` must have one of ${Object.keys(pathKeys).join(', ')}, got ${kinds.join(', ') || 'none'}`,
    )
  }
  const [kind] = kinds
  if (resize !== undefined && kind !== 'folder') {
    throw failAt(below(at.place, 'resize'), ` does nothing for ${kind ?? show(written)}: it is for folders of images`)
  }
  if (kind === undefined || !isObject(written)) return written
  const paths: readonly string[] = pathKeys[kind as keyof typeof pathKeys]
  const options = written[kind]
  if (!isObject(options)) return written
  const made = Object.entries(options).map(([key, value]): [string, Json] => [
    key,
    paths.includes(key) ? absolute(value, at.folder) : value,
  ])
  return { [kind]: { ...Object.fromEntries(made), ...(resize === undefined ? {} : { resize }) } }
}

/** Those that come with the model. */
function imagesOf(model: JsonObject, { place }: SpecPlace): Json {
  const name = embeddedNameOf(model)
  if (name !== undefined) return `${name}:held-out`
  throw failAt(below(place, 'images'), ' is required: digits, cifar10, or a folder of images with labels.csv')
}

function namedImages(images: Json, { folder, place }: SpecPlace): Json {
  const text = String(images)
  const [name = '', split = 'held-out'] = text.split(':')
  if (embeddedModels.some((each) => each === name)) {
    if (splits.some((each) => each === split)) return `${name}:${split}`
    const hint = nearest(split, splits)
    const meant = hint === undefined ? '' : `; did you mean ${name}:${hint}?`
    throw failAt(
      below(place, 'images'),
      ` must be ${splits.map((each) => `${name}:${each}`).join(' or ')}, got ${text}${meant}`,
    )
  }
  return { folder: { folder: resolve(folder, text) } }
}

function absolute(value: Json, folder: string): Json {
  if (Array.isArray(value)) return value.map((each: Json) => absolute(each, folder))
  return typeof value !== 'string' || isAbsolute(value) ? value : resolve(folder, value)
}
