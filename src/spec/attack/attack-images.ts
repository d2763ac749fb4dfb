import { isAbsolute, resolve } from 'node:path'
import { didYouMean, show } from '../../core/errors.ts'
import type { ImageShape } from '../../core/types.ts'
import {
  type CifarOptions,
  cifarDataset,
  type Dataset,
  type FolderOptions,
  folderDataset,
  type IdxOptions,
  idxDataset,
} from '../../datasets/index.ts'
import { type EmbeddedName, embeddedImages, embeddedNames, type Split } from '../../embedded/index.ts'
import { below, failAt } from '../place.ts'
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
