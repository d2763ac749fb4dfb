import { access, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ZerothError } from '../core/errors.ts'
import { option, optional, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { filledText, oneOf, text } from '../core/schema.ts'
import { fileError, pathWithin } from './data-file.ts'
import { checkedDataset, type Dataset } from './dataset.ts'
import type { FolderOptions } from './dataset-options.ts'
import { listFolder, listTable } from './list-images.ts'
import { checkReading, extentOf, imageOptions, readImageAs } from './read-image.ts'

/** Which folder, which of its images, and how they are read. */
export const folderOptions = table({
  ...imageOptions.shape,
  folder: option(filledText, 'folder of images'),
  labels: optional(filledText, 'CSV table of files and classes, in the folder; labels.csv is used if it is there'),
  column: optional(filledText, 'column of the table that holds the classes; index, label or class if left out'),
  fileColumn: option(filledText, 'column of the table that holds the paths below the folder', 'file'),
  channels: option(oneOf(1, 3), '1 for grey, 3 for color', 3),
  name: optional(text, 'what the data set is called; its folder if left out'),
})

/** Images in a folder, with a table of their classes, with a subfolder for each class, or without classes. */
export async function folderDataset(options: FolderOptions): Promise<Dataset> {
  const { folder, labels, name = folder, ...rest } = parseOptions('folderDataset', folderOptions, options)
  checkReading('folderDataset', rest)
  const root = await realpath(folder).catch((error: unknown) => {
    throw fileError(folder, 'read', error)
  })
  const table = labels === undefined ? await usualTable(root) : resolve(root, labels)
  if (table === undefined && rest.column !== undefined) {
    throw new ZerothError('invalid-option', `folderDataset.column needs a table, there is no labels.csv in ${folder}`)
  }
  const listing = table === undefined ? await listFolder(root) : await listTable(root, table, rest)
  const title = (index: number) => listing.files[index] as string
  const extent = extentOf(rest.size)
  return checkedDataset({
    name,
    count: listing.files.length,
    shape: extent && { channels: rest.channels, ...extent },
    classNames: listing.classNames,
    labelNames: listing.labelNames,
    title,
    label: (index) => listing.labels[index],
    // The path is checked again: what lies there may have become a link since it was listed.
    read: async (index) => readImageAs(await pathWithin(root, title(index), name), rest),
  })
}

async function usualTable(folder: string): Promise<string | undefined> {
  const table = join(folder, 'labels.csv')
  const exists = await access(table).then(
    () => true,
    () => false,
  )
  return exists ? table : undefined
}
