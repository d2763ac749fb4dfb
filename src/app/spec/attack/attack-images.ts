import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { didYouMean, show } from '../../../optimizer/core/errors.ts'
import { filledText, integerFrom, listOf, optional, table, union } from '../../../optimizer/core/options.ts'
import type { ImageShape } from '../../../optimizer/core/types.ts'
import {
  type EmbeddedName,
  embeddedClassNames,
  embeddedImages,
  embeddedNames,
  type Split,
} from '../../../robustness/embedded/index.ts'
import {
  type CifarOptions,
  cifarDataset,
  classNumber,
  type Dataset,
  type FolderOptions,
  folderDataset,
  type IdxOptions,
  idxDataset,
  parseClassNames,
} from '../../../robustness/images/index.ts'
import { below, failAt, type Place, within } from '../place.ts'
import { isObject, type Json, type JsonObject } from '../plain-data.ts'
import { embeddedNameOf, type SpecPlace } from './written-model.ts'

/** What an attack spec says about its images. */
interface ImageKeys {
  readonly images?: Json | undefined
  readonly resize?: string | undefined
  /** As it is written out. */
  readonly model: JsonObject
}

/** Images that are open, and how a spec writes them with nothing left to the model. */
export interface OpenedImages {
  readonly dataset: Dataset
  readonly written: Json
}

/** Embedded images: those that results are reported on, and those that settings are chosen on. */
const splits = ['held-out', 'tuning'] as const

/** Options that are paths. */
const pathKeys = { folder: ['folder'], idx: ['images', 'labels'], cifar: ['images', 'labels'] } as const

/** The images of an attack spec: `digits:held-out`, or `{ folder }`, `{ idx }` or `{ cifar }` with absolute paths. */
export function writtenImages({ images, resize, model }: ImageKeys, at: SpecPlace): Json {
  const written = images === undefined ? imagesOf(model, at) : isObject(images) ? images : imagesByName(images, at)
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
  throw failAt(below(place, 'images'), ' is required: digits, or a folder of images with labels.csv')
}

function imagesByName(images: Json, { folder, place }: SpecPlace): Json {
  const text = String(images)
  const [name = '', split = 'held-out'] = text.split(':')
  if (embeddedNames.some((each) => each === name)) {
    if (splits.some((each) => each === split)) return `${name}:${split}`
    const known = splits.map((each) => `${name}:${each}`)
    throw failAt(below(place, 'images'), ` must be ${known.join(' or ')}, got ${text}${didYouMean(text, known)}`)
  }
  return { folder: { folder: resolve(folder, text) } }
}

function absolute(value: Json, folder: string): Json {
  if (Array.isArray(value)) return value.map((each: Json) => absolute(each, folder))
  return typeof value !== 'string' || isAbsolute(value) ? value : resolve(folder, value)
}

/** Images that are tried to find out whether they have the size the model takes. */
const sample = 32

/** Opens the images that were written, for a model that takes images of this shape. */
export async function openImages(written: Json, shape: ImageShape): Promise<OpenedImages> {
  if (typeof written === 'string') {
    const [name, split] = written.split(':') as [EmbeddedName, Split]
    return { dataset: await embeddedImages(name, split), written }
  }
  const { folder, idx, cifar } = written as { folder?: FolderOptions; idx?: IdxOptions; cifar?: CifarOptions }
  if (folder !== undefined) return openFolder(folder, shape)
  const dataset = idx === undefined ? await cifarDataset(cifar as CifarOptions) : await idxDataset(idx)
  return { dataset, written }
}

async function openFolder(given: FolderOptions, { channels, height, width }: ImageShape): Promise<OpenedImages> {
  const shaped = { channels: channels as 1 | 3, size: { height, width }, ...given }
  const resize = given.resize ?? ((await hasSize(shaped, height, width)) ? 'none' : 'imagenet')
  const options: FolderOptions = { ...shaped, resize }
  return { dataset: await folderDataset(options), written: { folder: options as unknown as Json } }
}

/** Whether some of the first images are of that size: then another one is a mistake, and resizing would spoil the rest. */
async function hasSize({ size: _, ...options }: FolderOptions, height: number, width: number): Promise<boolean> {
  const dataset = await folderDataset({ ...options, resize: 'none' })
  for (let index = 0; index < Math.min(sample, dataset.count); index++) {
    const image = await dataset.read(index).catch(() => undefined)
    if (image?.shape.height === height && image.shape.width === width) return true
  }
  return false
}

/** What classes are called, and a class by its number or its name. */
export const classOptions = table({
  /**
   * Names of the classes: a file (a name per line, CSV index,name, or JSON), or a list; those of the images or the
   * model if left out.
   */
  classNames: optional(union(filledText, listOf(filledText, 1))),
  /** Attack only images of this class, by its number or its name; all classes if left out. */
  class: optional(union(integerFrom(0), filledText)),
  /**
   * The class every image is to be taken for, by its number or its name, or "next" for the class after its own; any
   * other if left out.
   */
  target: optional(union(integerFrom(0), filledText)),
})

/** Bytes of a file of names at most. */
const largest = 4_000_000

/** The names that a spec gives as a list: those of its file, where it names one. */
export function writtenClassNames({ classNames }: JsonObject, { folder, place }: SpecPlace): Json | undefined {
  if (typeof classNames !== 'string') return classNames
  const file = isAbsolute(classNames) ? classNames : resolve(folder, classNames)
  return within(below(place, 'classNames'), () => parseClassNames(readNames(file), classNames))
}

function readNames(file: string): string {
  const info = statSync(file, { throwIfNoEntry: false })
  if (info === undefined) throw new Error(`there is no file ${file} (for a list: -O 'classNames=["cat", "dog"]')`)
  if (!info.isFile()) throw new Error(`${file} is not a file`)
  if (info.size > largest) throw new Error(`${file} has ${info.size} bytes, at most ${largest} are allowed`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    throw error instanceof TypeError ? new Error(`${file} is not UTF-8 text`) : error
  }
}

/** Images whose classes are numbered as the model numbers them, and what they are called. */
export function namedImages(dataset: Dataset, spec: JsonObject, classes: number, place: Place): Dataset {
  const given = spec.classNames as readonly string[] | undefined
  if (given !== undefined && given.length !== classes) {
    const hint = 'there must be one for each class the model answers with, and no other'
    throw failAt(
      below(place, 'classNames'),
      ` has ${given.length} names, but the model has ${classes} classes: ${hint}`,
    )
  }
  const own = dataset.classNames
  // Images that ship with the package have the numbers of their own; their names are for people.
  if (given !== undefined && typeof spec.images === 'string') return { ...dataset, classNames: given }
  if (given !== undefined) return { ...numbered(dataset, given, below(place, 'images')), classNames: given }
  const embedded = embeddedNameOf(spec.model as JsonObject)
  const known = embedded === undefined ? undefined : embeddedClassNames(embedded)
  if (known !== undefined && (own ?? []).every((name) => known.includes(name))) {
    return { ...numbered(dataset, known, below(place, 'images')), classNames: known }
  }
  return { ...dataset, classNames: own?.length === classes ? own : namesByNumber(dataset, classes) }
}

/** The names that a table of images has beside the numbers of its classes; empty for classes that are not in it. */
function namesByNumber({ labelNames }: Dataset, classes: number): string[] | undefined {
  return labelNames && Array.from({ length: classes }, (_, index) => labelNames.get(index) ?? '')
}

/** Images that are labelled by name get the numbers that those names have in a list. */
function numbered(dataset: Dataset, names: readonly string[], place: Place): Dataset {
  const { classNames: own } = dataset
  if (own === undefined) return dataset
  const numbers = own.map((name) => within(place, () => classNumber(name, names)))
  return {
    ...dataset,
    label(index) {
      const label = dataset.label(index)
      return label === undefined ? undefined : numbers[label]
    },
  }
}

/** A spec whose class and target are numbers. */
export function numberedClasses(spec: JsonObject, names: readonly string[] | undefined, place: Place): JsonObject {
  const made = ['class', 'target'].flatMap((key): [string, Json][] => {
    const value = spec[key]
    if (typeof value !== 'string' || (key === 'target' && value === 'next')) return []
    const at = below(place, key)
    if (names !== undefined) return [[key, within(at, () => classNumber(value, names))]]
    const hint = 'the classes have no names, give them with classNames (--class-names)'
    throw failAt(at, ` must be the number of a class${key === 'target' ? ' or next' : ''}, got ${value}: ${hint}`)
  })
  return { ...spec, ...Object.fromEntries(made) }
}
