import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type CsvTable, parseCsv } from './csv.ts'
import { dataError } from './data-error.ts'
import { fileError, pathWithin, readText } from './data-file.ts'

/** The images of a folder: paths below it, and their classes. */
interface Listing extends ClassLabels {
  readonly files: readonly string[]
  readonly labelNames?: ReadonlyMap<number, string> | undefined
}

/** Which columns of a table to use. */
interface TableColumns {
  readonly fileColumn: string
  readonly column?: string | undefined
}

/** A class as text, and where it was found. */
interface Named {
  readonly where: string
  readonly text: string
}

/** The classes as numbers, and their names where they had names. */
interface ClassLabels {
  readonly labels: readonly (number | undefined)[]
  readonly classNames?: readonly string[] | undefined
}

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

const classColumns = ['index', 'label', 'class']
const maxTableBytes = 0x4000000

/** The images that a table names, each of which must exist, with the classes of one of its columns. */
export async function listTable(folder: string, table: string, columns: TableColumns): Promise<Listing> {
  const csv = parseCsv(await readText(table, maxTableBytes), table)
  const files = column(csv, table, columns.fileColumn)
  if (files.length === 0) throw dataError(table, 'names no images')
  checkDistinct(files)
  await checkPaths(folder, files)
  const classes = columns.column ?? classColumnOf(csv, table)
  const labels = classes === undefined ? { labels: [] } : classLabels(column(csv, table, classes))
  const isBeside = csv.columns.includes(nameColumn) && ![classes, columns.fileColumn].includes(nameColumn)
  const labelNames = isBeside ? namesOf(labels, column(csv, table, nameColumn)) : undefined
  return { files: files.map(({ text }) => text), ...labels, labelNames }
}

const nameColumn = 'name'

/** Names beside numbers of classes, where each class has one and no other class has the same: else they name something else. */
function namesOf({ labels, classNames }: ClassLabels, given: readonly Named[]): Map<number, string> | undefined {
  const names = new Map<number, string>()
  for (const [i, { text }] of given.entries()) {
    const [label, name] = [labels[i], text.trim()]
    if (label === undefined || name === '') continue
    if ((names.get(label) ?? name) !== name) return undefined
    names.set(label, name)
  }
  const areDistinct = new Set(names.values()).size === names.size
  return classNames === undefined && areDistinct && names.size > 0 ? names : undefined
}

function column(csv: CsvTable, table: string, name: string): Named[] {
  const at = csv.columns.indexOf(name)
  if (at < 0) throw dataError(table, `has no column ${JSON.stringify(name)} (columns: ${csv.columns.join(', ')})`)
  return csv.rows.map(({ line, cells }) => ({ where: `${table} line ${line}`, text: cells[at] as string }))
}

/** A table of files alone has no classes; in any other, not to find them is more likely a mistake. */
function classColumnOf(csv: CsvTable, table: string): string | undefined {
  const found = classColumns.find((name) => csv.columns.includes(name))
  if (found !== undefined || csv.columns.length === 1) return found
  const expected = `has no column ${classColumns.join(', ')} (columns: ${csv.columns.join(', ')})`
  throw dataError(table, `${expected}; name the one that holds the classes with "column"`)
}

function checkDistinct(files: readonly Named[]): void {
  const seen = new Map<string, string>()
  for (const { where, text } of files) {
    const before = seen.get(text)
    if (before !== undefined) throw dataError(where, `names ${JSON.stringify(text)} again, after ${before}`)
    seen.set(text, where)
  }
}

async function checkPaths(folder: string, files: readonly Named[]): Promise<void> {
  const paths = await Promise.allSettled(files.map(({ where, text }) => pathWithin(folder, text, where)))
  const bad = paths.find((path) => path.status === 'rejected')
  if (bad !== undefined) throw bad.reason
}

/**
 * Whole numbers are classes as they are. If all are names, they are counted from 0 in the order of their characters'
 * codes. An empty text is a class that is not known.
 */
export function classLabels(given: readonly Named[]): ClassLabels {
  const known = given.filter(({ text }) => text.trim() !== '')
  if (!known.some(({ text }) => isNumber(text))) return namedLabels(given)
  const labels = given.map(({ where, text }) => (text.trim() === '' ? undefined : wholeNumber(where, text.trim())))
  return { labels }
}

function wholeNumber(where: string, text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value
  const rule = 'classes must be whole numbers of at least 0, or all of them names'
  throw dataError(where, `${rule}, got ${JSON.stringify(text)}`)
}

function namedLabels(given: readonly Named[]): ClassLabels {
  const names = given.map(({ text }) => text.trim())
  const classNames = [...new Set(names)].filter((name) => name !== '').sort()
  const numbers = new Map(classNames.map((name, label) => [name, label]))
  return { labels: names.map((name) => numbers.get(name)), classNames: classNames.length > 0 ? classNames : undefined }
}

function isNumber(text: string): boolean {
  return !Number.isNaN(Number(text.trim()))
}
