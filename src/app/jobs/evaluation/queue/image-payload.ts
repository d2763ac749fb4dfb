import { existsSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { CarriedError } from '../../../../optimizer/core/errors.ts'
import { jsonSafe } from '../../../../optimizer/core/exact-json.ts'
import {
  flag,
  integerFrom,
  json,
  listOf,
  number,
  optional,
  refine,
  table,
  text,
  textUpTo,
} from '../../../../optimizer/core/options.ts'
import {
  type Briefing,
  type ImageRecord,
  parseStored,
  type ScreenedImage,
  storedImage,
} from '../../../../robustness/index.ts'
import { readOrdinary } from '../../../store/index.ts'
import type { RemoteAttackEnd } from '../remote-attack.ts'

/** A file of an image's run, by its path below the image's folder. */
export interface RunFile {
  readonly path: string
  readonly bytes: Uint8Array
}

/** What a worker sends home of an image. */
export interface ImagePayload {
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

const count = integerFrom(0)

const carried = table({
  message: textUpTo(100_000),
  code: optional(text),
  retryable: optional(flag),
  retryAfter: optional(number),
  timedOut: optional(flag),
  unreached: optional(flag),
})

/** Names of files that a run has, in its own folder or in those of further attacks on the image. */
const runFile = /^(smaller-\d{1,4}\/)?(second\/)?(meta\.json|journal|trace\.jsonl|result\.json|checkpoint-[ab])$/
const path = refine(text, (value) => runFile.test(value), 'must be the file of a run')

const header = table({
  lost: count,
  asked: count,
  retries: count,
  error: optional(carried),
  record: optional(json),
  pixels: optional(count),
  files: listOf(table({ path, size: count })),
})

/** Packs what became of an image, with the files of its run. */
export async function packImage(
  { unanswered: lost, attacked, error }: RemoteAttackEnd,
  told: Pick<ImagePayload, 'asked' | 'retries'>,
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
export async function unpackImage(packed: Buffer): Promise<ImagePayload | undefined> {
  try {
    const content = await promisify<Buffer, object, Buffer>(gunzip)(packed, { maxOutputLength })
    return contentOf(content)
  } catch {
    return undefined
  }
}

function contentOf(content: Buffer): ImagePayload | undefined {
  const end = content.indexOf(0x0a)
  const read = parseStored(header, JSON.parse(content.subarray(0, end).toString('utf8')))
  let at = end + 1
  const next = (size: number): Buffer => {
    at += size
    return content.subarray(at - size, at)
  }
  const { pixels, error, record, files, ...counts } = read
  const adversarial = pixels === undefined ? undefined : new Float32Array(Uint8Array.from(next(4 * pixels)).buffer)
  const found = files.map(({ path, size }) => ({ path, bytes: next(size) }))
  if (at !== content.byteLength) return undefined
  const parsed = record === undefined ? undefined : inOrder(record, parseStored(storedImage, record))
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
    .map((file) => ({ path: relative(folder, file).split(sep).join('/'), bytes: readOrdinary(file) }))
    .filter((file) => runFile.test(file.path))
}

/** What a job says of its image: plain data, small. The spec is under a key of its own. */
export interface ImageJob {
  readonly image: ScreenedImage
  readonly briefing: Briefing
  /** Queries that earlier tries asked in vain. */
  readonly unanswered: number
  /** The hash of the spec. */
  readonly spec: string
}

/** An image that is to be attacked elsewhere. */
export function imageJob(image: ScreenedImage, briefing: Briefing, unanswered: number, spec: string): ImageJob {
  const { index, title, label, predicted, target, status, reason, modelCalls, failedQueries = 0, retries = 0 } = image
  // What the model answered when it was screened is nothing to an attack; a resumed one must ask for the very same job.
  const known = { index, title, label, predicted, target, status, reason, modelCalls, failedQueries, retries }
  const { scores, probe } = briefing
  return { image: known, briefing: probe === undefined ? { scores } : { scores, probe }, unanswered, spec }
}
