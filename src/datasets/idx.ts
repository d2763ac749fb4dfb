import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { createGunzip } from 'node:zlib'
import { ZerothError } from '../core/errors.ts'
import { option, optional, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { filledText, text } from '../core/schema.ts'
import { dataError, shortReason } from './data-error.ts'
import { fileError, sizeOfFile } from './data-file.ts'
import { checkedDataset, type Dataset } from './dataset.ts'
import type { IdxOptions } from './dataset-options.ts'
import { fromBytes } from './pixels.ts'

/** The bytes of an IDX file and their dimensions, the last one counting fastest. */
interface IdxFile {
  readonly sizes: readonly number[]
  readonly bytes: Uint8Array
}

/** Which IDX files. */
export const idxOptions = table({
  images: option(filledText, 'IDX file of images: unsigned bytes, 3 dimensions; may be gzipped'),
  labels: optional(filledText, 'IDX file of their classes: unsigned bytes, 1 dimension; may be gzipped'),
  name: optional(text, "what the data set is called; the images' file if left out"),
})

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
