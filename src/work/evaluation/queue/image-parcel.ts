import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { z } from 'zod'
import { type ImageRecord, storedImage } from '../../../attacks/index.ts'
import type { CarriedError } from '../../../core/carried-error.ts'
import { jsonSafe } from '../../../core/json-safe.ts'
import type { AwayEnd } from '../away-attacker.ts'

/** A file of an image's run, by its path below the image's folder. */
export interface RunFile {
  readonly path: string
  readonly bytes: Buffer
}

/** What a worker sends home of an image. */
export interface ImageParcel {
  /** Queries that were asked in vain, of an attack that goes on later. */
  readonly lost: number
  /** Queries that nobody has been told of yet. */
  readonly asked: number
  /** Images that the model had to be asked about again. */
  readonly retries: number
  readonly error?: CarriedError | undefined
  readonly record?: ImageRecord | undefined
  /** The picture that was found, as pixels. */
  readonly adversarial?: Float32Array | undefined
  readonly files: readonly RunFile[]
}

/** Bytes of a parcel at most, once it is opened. */
const maxOutputLength = 1_073_741_824

const count = z.int().min(0)
const flag = z.boolean().optional()

const carried = z.strictObject({
  message: z.string().max(100_000),
  code: z.string().optional(),
  retryable: flag,
  retryAfter: z.number().optional(),
  timedOut: flag,
  unreached: flag,
})

/** Names of files that a run has, in its own folder or in those of further attacks on the image. */
const path = z
  .string()
  .regex(/^(smaller-\d{1,4}\/)?(second\/)?(meta\.json|journal|trace\.jsonl|result\.json|checkpoint-[ab])$/)

const header = z.strictObject({
  lost: count,
  asked: count,
  retries: count,
  error: carried.optional(),
  record: z.unknown().optional(),
  pixels: count.optional(),
  files: z.array(z.strictObject({ path, size: count })).max(100_000),
})

/** Packs what became of an image, with the files of its run. */
export async function packImage(
  { lost, attacked, error }: AwayEnd,
  told: Pick<ImageParcel, 'asked' | 'retries'>,
  folder: string,
): Promise<Buffer> {
  const { record, picture } = attacked ?? {}
  const files = filesBelow(folder)
  const pixels = picture && Buffer.from(picture.adversarial.slice().buffer)
  const head = {
    ...{ lost, ...told, error, record, pixels: picture?.adversarial.length },
    files: files.map(({ path, bytes }) => ({ path, size: bytes.byteLength })),
  }
  const text = Buffer.from(`${JSON.stringify(jsonSafe(head))}\n`)
  return promisify(gzip)(Buffer.concat([text, ...(pixels === undefined ? [] : [pixels]), ...files.map((f) => f.bytes)]))
}

/** Opens a parcel; undefined where it is none. */
export async function openParcel(packed: Buffer): Promise<ImageParcel | undefined> {
  try {
    const content = await promisify<Buffer, object, Buffer>(gunzip)(packed, { maxOutputLength })
    return contentOf(content)
  } catch {
    return undefined
  }
}

function contentOf(content: Buffer): ImageParcel | undefined {
  const end = content.indexOf(0x0a)
  const read = header.parse(JSON.parse(content.subarray(0, end).toString('utf8')))
  let at = end + 1
  const next = (size: number): Buffer => {
    at += size
    return content.subarray(at - size, at)
  }
  const { pixels, error, record, files, ...counts } = read
  const adversarial = pixels === undefined ? undefined : new Float32Array(Uint8Array.from(next(4 * pixels)).buffer)
  const found = files.map(({ path, size }) => ({ path, bytes: next(size) }))
  if (at !== content.byteLength) return undefined
  const parsed = record === undefined ? undefined : inOrder(record, storedImage.parse(record))
  return {
    ...counts,
    error: error as CarriedError | undefined,
    record: parsed as ImageRecord,
    adversarial,
    files: found,
  }
}

/** What was read, with its fields in the order in which they were written: files must be the same bytes. */
function inOrder(written: unknown, read: unknown): unknown {
  if (Array.isArray(written) && Array.isArray(read)) return read.map((each, i) => inOrder(written[i], each))
  if (typeof written !== 'object' || written === null || typeof read !== 'object' || read === null) return read
  const values = { ...read } as Record<string, unknown>
  const keys = Object.keys(written).filter((key) => Object.hasOwn(values, key))
  return Object.fromEntries(keys.map((key) => [key, inOrder((written as typeof values)[key], values[key])]))
}

function filesBelow(folder: string): RunFile[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: relative(folder, file).split(sep).join('/'), bytes: readFileSync(file) }))
    .filter((file) => path.safeParse(file.path).success)
}
