import { basename } from 'node:path'
import { ZerothError } from '../../../index.ts'
import { jsonSafe } from '../../../optimizer/core/exact-json.ts'
import { readImage, toBytes } from '../../../robustness/images/index.ts'
import type { ImageRecord } from '../../../robustness/index.ts'
import { type NumberFormat, npyHeader, parquetBytes } from '../formats.ts'
import { imagesCsv, imageTable, readPicture } from './attack-files.ts'
import { readEvaluation, type StoredAttack } from './status.ts'

/** What arrays of an evaluation hold: a picture, the label, or the number of each image that has a changed picture. */
export const attackArrays = ['adversarial', 'original', 'label', 'index'] as const

/** How the pixels of arrays are kept: bytes from 0 to 255, or numbers from 0 to 1. */
export const pixelTypes = ['uint8', 'float32'] as const

/** What is written of an evaluation as npy. */
export interface ArrayOptions {
  /** The changed pictures if left out. */
  readonly array?: (typeof attackArrays)[number] | undefined
  /** Bytes if left out: what the saved pictures hold. */
  readonly pixels?: (typeof pixelTypes)[number] | undefined
}

type Bytes = AsyncGenerator<Uint8Array, void, void>
type Writer = (attack: StoredAttack, options: ArrayOptions) => Bytes

const writers: Readonly<Record<'csv' | 'json' | 'parquet' | 'npy', Writer>> = { csv, json, parquet, npy }

/** An evaluation for other programs: its images as a table, all of it as JSON, or its pictures as an array. */
export function exportAttack(folder: string, format: keyof typeof writers, options: ArrayOptions = {}): Bytes {
  const [first] = Object.entries(options).filter(([, value]) => value !== undefined)
  if (format !== 'npy' && first !== undefined) {
    throw new ZerothError('invalid-option', `${first[0]} is for npy, not for ${format}`)
  }
  return writers[format](readEvaluation(folder), options)
}

async function* csv({ report, record }: StoredAttack): Bytes {
  yield Buffer.from(imagesCsv(report.images, record.images.classNames))
}

async function* json({ folder, record, report }: StoredAttack): Bytes {
  yield Buffer.from(`${JSON.stringify(jsonSafe({ run: basename(folder), settings: record, ...report }))}\n`)
}

const texts = /^(title|status|reason|savedFrom|stopReason|original|adversarial|perturbation)$|Name$/

function typeOf(name: string): 'STRING' | 'BOOLEAN' | 'INT64' | 'DOUBLE' {
  if (texts.test(name)) return 'STRING'
  if (name === 'success8bit') return 'BOOLEAN'
  const isWhole = /^(index|label|predicted|target|queries|modelCalls)$|(Iteration|Queries|Predicted)$/.test(name)
  return isWhole ? 'INT64' : 'DOUBLE'
}

function parquet({ report, record }: StoredAttack): Bytes {
  const { names, rows } = imageTable(report.images, record.images.classNames)
  const columns = names.map((name) => ({ name, type: typeOf(name) }))
  return parquetBytes(columns, rows)
}

async function* npy({ folder, record, report }: StoredAttack, options: ArrayOptions): Bytes {
  const { array = 'adversarial', pixels = 'uint8' } = options
  const images = report.images.filter(({ files }) => files?.adversarial !== undefined)
  if (array === 'label' || array === 'index') {
    if (options.pixels !== undefined)
      throw new ZerothError('invalid-option', `pixels does nothing for the array ${array}`)
    yield npyHeader([images.length], '<i8')
    yield new Uint8Array(BigInt64Array.from(images, (image) => BigInt(image[array] ?? -1)).buffer)
    return
  }
  const { channels, height, width } = record.model.shape as Record<string, number>
  const sides = [channels, height, width] as const
  const format: NumberFormat = pixels === 'uint8' ? '|u1' : '<f4'
  if (images.length === 0 && report.images.some(({ status }) => status === 'fooled')) throw noPictures(channels)
  yield npyHeader([images.length, ...sides.map(Number)], format)
  for (const image of images) yield await pixelBytes(folder, image, array, pixels)
}

async function pixelBytes(
  folder: string,
  record: ImageRecord,
  array: 'adversarial' | 'original',
  pixels: 'uint8' | 'float32',
): Promise<Uint8Array> {
  const picture = await readImage(readPicture(folder, record, record.files?.[array] ?? ''))
  if (pixels === 'float32') return new Uint8Array(Float32Array.from(picture.pixels).buffer)
  // One byte for each pixel, one channel plane after the other, as the pixels are.
  const { channels, height, width } = picture.shape
  return toBytes({ shape: { channels: 1, height: channels * height, width }, pixels: picture.pixels })
}

function noPictures(channels: number | undefined): ZerothError {
  return new ZerothError('invalid-data', `there are no pictures of images with ${channels} channels: 1 or 3 have them`)
}
