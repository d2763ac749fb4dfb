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
import { type EmbeddedName, embeddedImages, type Split } from '../../embedded/index.ts'
import type { Json } from '../plain-data.ts'

/** Images that are open, and how a spec writes them with nothing left to the model. */
export interface OpenedImages {
  readonly dataset: Dataset
  readonly written: Json
}

/** Images that are looked at to see whether they are of the size the model takes. */
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
