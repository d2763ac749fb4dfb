import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { classLabels } from './class-labels.ts'
import { dataError, fileError } from './data-error.ts'
import type { Listing } from './list-table.ts'

const imageName = /\.(jpe?g|jpe|jfif|png|webp)$/i

/** The images of a folder without a table: one subfolder per class, or all in one place and without classes. */
export async function listFolder(folder: string): Promise<Listing> {
  const { images, folders } = await contents(folder)
  if (images.length > 0 && folders.length > 0) {
    const both = `holds images (${images[0]}) beside folders (${folders[0]})`
    throw dataError(folder, `${both}: it must hold images alone, one folder per class, or a table labels.csv`)
  }
  if (images.length === 0 && folders.length === 0) {
    throw dataError(folder, 'holds no images (.jpg, .jpeg, .jpe, .jfif, .png, .webp) and no folders of them')
  }
  return folders.length === 0 ? { files: images, labels: [] } : listClasses(folder, folders)
}

async function listClasses(folder: string, folders: readonly string[]): Promise<Listing> {
  const { labels, classNames } = classLabels(folders.map((text) => ({ where: join(folder, text), text })))
  const classes: string[][] = []
  for (const name of folders) classes.push(await imagesOf(folder, name))
  return {
    files: classes.flat(),
    labels: classes.flatMap((images, i) => images.map(() => labels[i])),
    classNames,
  }
}

async function imagesOf(folder: string, name: string): Promise<string[]> {
  const { images } = await contents(join(folder, name))
  if (images.length === 0) throw dataError(join(folder, name), 'holds no images, as the folder of a class must')
  return images.map((image) => `${name}/${image}`)
}

/** Names in the order of their characters' codes, the same on every machine; hidden and other files are left out. */
async function contents(folder: string): Promise<{ images: string[]; folders: string[] }> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw fileError(folder, 'read', error)
  })
  const visible = entries.filter(({ name }) => !name.startsWith('.'))
  const isFolder = await Promise.all(visible.map((entry) => leadsToFolder(folder, entry)))
  const names = (wanted: (name: string, i: number) => boolean) => visible.map(({ name }) => name).filter(wanted)
  return {
    images: names((name, i) => !isFolder[i] && imageName.test(name)).sort(),
    folders: names((_, i) => isFolder[i] === true).sort(),
  }
}

async function leadsToFolder(folder: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory()
  const target = await stat(join(folder, entry.name)).catch(() => undefined)
  return target?.isDirectory() ?? false
}
