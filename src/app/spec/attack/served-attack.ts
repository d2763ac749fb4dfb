import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename, join } from 'node:path'
import type { Dataset } from '../../../robustness/images/index.ts'
import type { Model } from '../../../robustness/models/index.ts'
import { type Served, servedAs, servedContent } from '../../executors/queue/served.ts'
import { isObject, type Json, type JsonObject } from '../plain-data.ts'
import { openImages } from './attack-images.ts'
import { conductKeys } from './compile-attack.ts'
import { isRemote, isService, placesKeys } from './written-model.ts'

/** Keys of a spec that each machine has its own of: where its model and its images are, and how it asks. */
const ownKeys: readonly string[] = ['model', 'images', ...conductKeys]

/** Options that say where something is or what it is called, not what it is. */
const placeKeys = ['folder', 'name', 'images', 'labels']

/** The spec of an attack as it is sent to workers: without addresses, paths and secrets. */
export function sentSpec(resolved: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(resolved).filter(([key]) => !ownKeys.includes(key)))
}

/** The spec of an attack at a worker, which has a model and images of its own. */
export function receivedSpec(sent: JsonObject, own: JsonObject): JsonObject {
  const { queue: _, ...kept } = Object.fromEntries(Object.entries(own).filter(([key]) => ownKeys.includes(key)))
  return { ...sentSpec(sent), ...kept }
}

/** What workers must have to attack the images of a spec: the same model and the same images, wherever those are. */
export async function servedAttack(resolved: JsonObject, model: Model): Promise<Served> {
  const { queue } = resolved
  if (isObject(queue) && typeof queue.serves === 'string') return servedAs(queue.serves)
  const { dataset } = await openImages(resolved.images as Json, model.shape)
  const content = [await modelContent(resolved.model as JsonObject, model), await imagesContent(resolved, dataset)]
  return servedContent('images', `${modelWords(resolved.model as JsonObject)} on ${imageWords(resolved)}`, content)
}

/** A network counts by what is in its file, a service by its address; who computes it counts, because answers may differ. */
async function modelContent(written: JsonObject, { preprocessing, shape, scores, runtime }: Model): Promise<Json> {
  const { headers: _, file, ...options } = written
  const said = Object.entries(options).filter(([key]) => !(placesKeys as readonly string[]).includes(key))
  const network = typeof file !== 'string' ? null : isRemote(written) ? file : await fileHash(file)
  const known = JSON.parse(JSON.stringify({ preprocessing: preprocessing ?? null, shape })) as Json
  return [Object.fromEntries(said) as JsonObject, network, known, scores, runtime]
}

/** Images count by their files, their names among themselves and their classes. */
async function imagesContent({ images }: JsonObject, dataset: Dataset): Promise<Json> {
  if (!isObject(images)) return images as Json
  const [[kind, given] = ['', {}]] = Object.entries(images)
  const options = given as JsonObject
  const said = Object.entries(options).filter(([key]) => !placeKeys.includes(key))
  const all = createHash('sha256').update(JSON.stringify(dataset.classNames ?? null))
  for (let index = 0; index < dataset.count; index++) {
    all.update(JSON.stringify([kind === 'folder' ? dataset.title(index) : index, dataset.label(index) ?? null]))
    if (kind === 'folder') all.update(await fileHash(join(String(options.folder), dataset.title(index))))
  }
  const files = kind === 'folder' ? [] : [options.images, options.labels].flat()
  for (const file of files) if (typeof file === 'string') all.update(await fileHash(file))
  return [kind, Object.fromEntries(said) as JsonObject, all.digest('hex')]
}

/** A file that cannot be read is none, as it will be when it is attacked. */
async function fileHash(file: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    for await (const bytes of createReadStream(file.startsWith('file:') ? new URL(file) : file)) hash.update(bytes)
    return hash.digest('hex')
  } catch {
    return 'unreadable'
  }
}

/** A model in words; the address of a service is nobody else's business. */
function modelWords(written: JsonObject): string {
  const { name, file, model } = written
  if (isService(written)) return [name, model].filter((each) => typeof each === 'string').join(' ')
  return typeof file === 'string' ? basename(file.replace(/[?#].*$/s, '')) : String(name)
}

function imageWords({ images }: JsonObject): string {
  if (!isObject(images)) return String(images)
  const [given = {}] = Object.values(images) as JsonObject[]
  const [place] = [given.folder ?? given.images].flat()
  return basename(String(place))
}
