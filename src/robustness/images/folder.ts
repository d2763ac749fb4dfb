import type { Dirent } from 'node:fs'
import { access, readdir, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { show, ZerothError } from '../../optimizer/core/errors.ts'
import {
  filledText,
  type Input,
  join as joined,
  oneOf,
  optional,
  parseOptions,
  table,
  text,
  withDefault,
} from '../../optimizer/core/options.ts'
import { dataError } from './data-error.ts'
import { fileError, pathWithin, readText } from './data-file.ts'
import { checkedDataset, type Dataset } from './dataset.ts'
import { checkReading, extentOf, imageOptions, readImageAs } from './image-file.ts'

/** Which folder, which of its images, and how they are read. */
export const folderOptions = joined(
  imageOptions,
  table({
    /** Folder of images. */
    folder: filledText,
    /** CSV table of files and classes, in the folder; labels.csv is used if it is there. */
    labels: optional(filledText),
    /** Column of the table that holds the classes; index, label or class if left out. */
    column: optional(filledText),
    /** Column of the table that holds the paths below the folder. Default 'file'. */
    fileColumn: withDefault(filledText, 'file'),
    /** 1 for grey, 3 for color. Default 3. */
    channels: withDefault(oneOf(1, 3), 3),
    /** What the data set is called; its folder if left out. */
    name: optional(text),
  }),
)

/** Options of `folderDataset`. */
export interface FolderOptions extends Input<typeof folderOptions> {}

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

/** Pictures that would be missed if they were left out without a word. */
const otherImageName = /\.(gif|bmp|tiff?|heic|heif|avif|jp2|ppm)$/i

/** The images of a folder without a table: one subfolder per class, or all in one place and without classes. */
async function listFolder(folder: string): Promise<Listing> {
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
  const order = inTurns(classes.map(({ length }) => length))
  return {
    files: order.map(([of, at]) => classes[of]?.[at] as string),
    labels: order.map(([of]) => labels[of]),
    classNames,
  }
}

/** The members of several lists, one of each in turn: so the first few images are of all classes, not of the first alone. */
function inTurns(lengths: readonly number[]): [list: number, member: number][] {
  const rounds = Array.from(
    { length: lengths.reduce((most, length) => Math.max(most, length), 0) },
    (_, round) => round,
  )
  return rounds.flatMap((round) =>
    lengths.flatMap((length, i): [number, number][] => (round < length ? [[i, round]] : [])),
  )
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
  const other = visible.find(({ name }, i) => !isFolder[i] && otherImageName.test(name))
  if (other !== undefined) {
    const advice = 'convert it to PNG, move it away, or name the images that are meant in a table labels.csv'
    throw dataError(
      join(folder, other.name),
      `is an image of a format that is not read (allowed are JPEG, PNG, WebP): ${advice}`,
    )
  }
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
async function listTable(folder: string, table: string, columns: TableColumns): Promise<Listing> {
  const csv = parseCsv(await readText(table, maxTableBytes), table)
  const files = column(csv, table, columns.fileColumn, 'fileColumn')
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

function column(csv: CsvTable, table: string, name: string, option: 'column' | 'fileColumn' = 'column'): Named[] {
  const at = csv.columns.indexOf(name)
  if (at < 0) {
    const isSplitOtherwise = csv.columns.length === 1 && /[;\t]/.test(csv.columns[0] ?? '')
    const advice = isSplitOtherwise
      ? 'separate the columns by commas'
      : `name the one that is meant with "${option}", as in { folder: { folder: PATH, ${option}: NAME } }`
    throw dataError(table, `has no column ${show(name)} (columns: ${csv.columns.join(', ')}); ${advice}`)
  }
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

/** A line of a table, with the number it has in its file: quoted cells may hold line breaks. */
interface CsvRow {
  readonly line: number
  readonly cells: readonly string[]
}

/** A table with a header. */
interface CsvTable {
  readonly columns: readonly string[]
  readonly rows: readonly CsvRow[]
}

/** Reads comma-separated values as RFC 4180 has them, any line ending allowed; blank lines are skipped. */
export function parseCsv(text: string, where: string): CsvTable {
  const [header, ...rows] = [...csvRows(text, where)]
  if (header === undefined) throw dataError(where, 'is empty, a line with the names of the columns is required')
  const columns = header.cells
  const twice = columns.find((name, i) => columns.indexOf(name) !== i)
  if (twice !== undefined) throw dataError(where, `has two columns called ${JSON.stringify(twice)}`)
  const uneven = rows.find(({ cells }) => cells.length !== columns.length)
  if (uneven === undefined) return { columns, rows }
  throw dataError(`${where} line ${uneven.line}`, `has ${uneven.cells.length} cells, the header has ${columns.length}`)
}

function* csvRows(text: string, where: string): Generator<CsvRow> {
  let cells: string[] = []
  let first = 1
  let line = 1
  let at = 0
  while (at < text.length || cells.length > 0) {
    const end = text[at] === '"' ? endOfQuoted(text, at) : endOfPlain(text, at)
    if (end === undefined) throw badQuote(where, line, text[at] === '"')
    const raw = text.slice(at, end)
    const quoted = raw.startsWith('"')
    cells.push(quoted ? raw.slice(1, -1).replaceAll('""', '"') : raw)
    line += raw.match(/\r\n|\n|\r/g)?.length ?? 0
    at = end + 1
    if (text[end] === ',') continue
    if (text[end] === '\r' && text[at] === '\n') at++
    if (cells.length > 1 || quoted || raw !== '') yield { line: first, cells }
    cells = []
    first = ++line
  }
}

/** Where the cell that begins at `at` ends: at a comma, at a line ending, or with the text. */
function endOfPlain(text: string, at: number): number | undefined {
  const stop = /[",\r\n]/g
  stop.lastIndex = at
  const end = stop.exec(text)?.index ?? text.length
  return text[end] === '"' ? undefined : end
}

function endOfQuoted(text: string, at: number): number | undefined {
  let close = text.indexOf('"', at + 1)
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
  const follows = text[close + 1] ?? ','
  return close >= 0 && [',', '\r', '\n'].includes(follows) ? close + 1 : undefined
}

function badQuote(where: string, line: number, quoted: boolean) {
  const problem = quoted ? 'a quoted cell must be closed and end there' : 'a cell with quotes in it must be quoted'
  return dataError(`${where} line ${line}`, `${problem} (quotes inside it are written twice)`)
}
