import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ZerothError } from '../../index.ts'
import { makeFolder, writeToFile } from '../jobs/folders.ts'
import { millisecondsAt } from '../provenance/wall-clock.ts'
import { readOrdinary } from '../store/index.ts'
import { type Metric, type Tracked, trackJobs } from './tracked.ts'

/** Bytes that are written together. */
const pieceLength = 1 << 16

/**
 * Writes the job in a folder as event files of TensorBoard, one folder below `into` for each run, series, tuning and
 * evaluation, and returns the files. Numbers are float64, their steps queries;
 * below `float32` are those that TensorBoard's fast loader shows. A job that is exported again replaces its
 * file; a folder that holds that of another one is refused.
 */
export async function exportTensorBoard(given: string, into: string): Promise<string[]> {
  const jobs = await trackJobs(given)
  const files = jobs.map((job) => join(into, ...job.path, fileName(job)))
  for (const [i, job] of jobs.entries()) await refuseOthers(join(into, ...job.path), files[i] as string)
  for (const [i, job] of jobs.entries()) {
    await makeFolder(join(into, ...job.path))
    // TensorBoard reads whatever has "tfevents" in its name: what is not finished has another.
    await writeToFile(files[i] as string, inPieces(eventsOf(job)), '.unfinished')
  }
  return files
}

/** The same for the same job, so that it is not there twice: TensorBoard puts all files of a folder into one curve. */
function fileName({ created }: Tracked): string {
  const milliseconds = millisecondsAt(created)
  return `events.out.tfevents.${Math.floor(milliseconds / 1000)}.zeroth.${milliseconds % 1000}`
}

async function refuseOthers(folder: string, file: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  const other = names.map((name) => join(folder, name)).find((each) => each.includes('tfevents') && each !== file)
  if (other === undefined) return
  throw new ZerothError('invalid-option', `${other} is about another run of that name: choose another folder`)
}

async function* eventsOf(job: Tracked): AsyncGenerator<Buffer, void, void> {
  const began = millisecondsAt(job.created) / 1000
  const at = ({ step, seconds }: Pick<Metric, 'step' | 'seconds'>): Moment => ({ time: began + seconds, step })
  const end = at({ step: job.end.queries, seconds: job.end.seconds })
  yield versionEvent(began)
  for (const [tag, text] of textsOf(job)) yield textEvent(tag, text, { time: began, step: 0 })
  for (const metrics of [job.history(), job.curves(), job.images]) {
    for (const metric of metrics) yield* scalarEvents(metric.name, metric.value, at(metric))
  }
  for (const [name, value] of job.results) yield* scalarEvents(name, value, end)
  for (const { name, file, about } of job.pictures) yield pictureEvent(name, await pictureIn(file), end, plain(about))
}

/** A number with every bit, and what the fast loader, which is TensorBoard's default, can show of it. */
function scalarEvents(name: string, value: number, moment: Moment): [Buffer, Buffer] {
  return [scalarEvent(name, value, moment), shortScalarEvent(`float32/${name}`, value, moment)]
}

/** What is shown as text: the spec as a block of code, the rest as tables. */
function textsOf({ settings, facts, state, kind, warnings }: Tracked): [tag: string, text: string][] {
  const rows = Object.entries({ kind, state, ...facts }).map(([name, value]) => `| ${name} | ${plain(value)} |`)
  const code = JSON.stringify(settings, null, 2).replaceAll(/^/gm, '    ')
  return [
    ['about', ['| | |', '|-|-|', ...rows].join('\n')],
    ['spec', code],
    ...(warnings.length === 0 ? [] : [['warnings', warnings.map((each) => `- ${plain(each)}`).join('\n')] as const]),
  ] as [string, string][]
}

/** A text in which nothing means anything to Markdown. */
function plain(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
  const escaped = text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]()#+!|-]/g, '\\$&')
  return escaped.replace(/[&<>]/g, (character) => entities[character] ?? '')
}

/** A PNG file says its size in its first chunk. */
async function pictureIn(file: string) {
  const png = readOrdinary(file)
  const header = new DataView(png.buffer, png.byteOffset)
  return { width: header.getUint32(16), height: header.getUint32(20), png }
}

async function* inPieces(events: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  let waiting: Buffer[] = []
  let length = 0
  for await (const event of events) {
    length += waiting[waiting.push(record(event)) - 1]?.length ?? 0
    if (length < pieceLength) continue
    yield Buffer.concat(waiting)
    waiting = []
    length = 0
  }
  yield Buffer.concat(waiting)
}

/** When something is shown: seconds since 1970, and the step. */
interface Moment {
  readonly time: number
  readonly step: number
}

/** A picture as a PNG file. */
interface EncodedPicture {
  readonly width: number
  readonly height: number
  readonly png: Uint8Array
}

/** Types of tensors (tensorflow/core/framework/types.proto). */
const [float32, float64, strings] = [1, 2, 7] as const

/** The first event of a file (tensorflow/core/util/event.proto). */
export function versionEvent(time: number): Message {
  return message(doubleField(1, time), textField(3, 'brain.Event:2'))
}

/** A number as a float64 tensor: the older field for numbers keeps 32 bits only. */
export function scalarEvent(tag: string, value: number, moment: Moment): Message {
  const scalar = message(wholeField(1, float64), shape(), packedDouble(6, value))
  return event(moment, tag, 'scalars', scalar)
}

/** A number as a float32 tensor, all that TensorBoard's fast loader reads. */
export function shortScalarEvent(tag: string, value: number, moment: Moment): Message {
  const scalar = message(wholeField(1, float32), shape(), packedFloat(5, value))
  return event(moment, tag, 'scalars', scalar)
}

/** A text, which TensorBoard takes for Markdown. */
export function textEvent(tag: string, text: string, moment: Moment): Message {
  return event(moment, tag, 'text', stringTensor([Buffer.from(text)], []))
}

/** A picture, with what is to be said about it in Markdown. */
export function pictureEvent(tag: string, picture: EncodedPicture, moment: Moment, description = ''): Message {
  const { width, height, png } = picture
  const parts = [Buffer.from(String(width)), Buffer.from(String(height)), png]
  return event(moment, tag, 'images', stringTensor(parts, [parts.length]), description)
}

function event({ time, step }: Moment, tag: string, plugin: string, tensor: Message, description = ''): Message {
  const metadata = message(bytesField(1, textField(1, plugin)), textField(3, description))
  const value = message(textField(1, tag), bytesField(8, tensor), bytesField(9, metadata))
  return message(doubleField(1, time), wholeField(2, step), bytesField(5, bytesField(1, value)))
}

function stringTensor(values: readonly Uint8Array[], sizes: readonly number[]): Message {
  return message(wholeField(1, strings), shape(...sizes), ...values.map((each) => bytesField(8, each)))
}

function shape(...sizes: readonly number[]): Message {
  return bytesField(2, message(...sizes.map((size) => bytesField(2, wholeField(1, size)))))
}

// Written by hand: the four messages of an event file need these few kinds of fields and nothing of what protobuf packages
// bring (schemas, readers, generated code). https://protobuf.dev/programming-guides/encoding

/** A message or a part of one: its fields in the order of their numbers. */
type Message = Buffer

const [varintType, doubleType, lengthType] = [0, 1, 2] as const

/** A message of the given fields. */
function message(...fields: readonly Uint8Array[]): Message {
  return Buffer.concat(fields)
}

/** A whole number from 0 to 2^53; 0 is what a field is that is left out. */
function wholeField(number: number, value: number): Message {
  return value === 0 ? Buffer.alloc(0) : Buffer.concat([key(number, varintType), varint(value)])
}

/** A double of its own; a zero is left out. */
function doubleField(number: number, value: number): Message {
  return Object.is(value, 0) ? Buffer.alloc(0) : Buffer.concat([key(number, doubleType), doubleBytes(value)])
}

/** A list of one double. */
function packedDouble(number: number, value: number): Message {
  return bytesField(number, doubleBytes(value))
}

/** A list of one number of 32 bits. */
function packedFloat(number: number, value: number): Message {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytesField(number, bytes)
}

/** A text; an empty one is left out. */
function textField(number: number, text: string): Message {
  return text === '' ? Buffer.alloc(0) : bytesField(number, Buffer.from(text))
}

/** Bytes, a message, or an entry of a list of such: written also where it is empty. */
function bytesField(number: number, bytes: Uint8Array): Message {
  return Buffer.concat([key(number, lengthType), varint(bytes.length), bytes])
}

function key(number: number, type: number): Buffer {
  return varint(number * 8 + type)
}

function doubleBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return bytes
}

/** Seven bits a byte, the lowest first. */
function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

/** Each byte's share of a CRC-32C (Castagnoli): Node's own crc32 has another polynomial. */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  return crc
})

/** The CRC-32C of bytes (RFC 3720, appendix B.4). */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (table[(crc ^ byte) & 255] as number) ^ (crc >>> 8)
  return ~crc >>> 0
}

/** As TFRecord files keep it: rotated by 15 bits and moved, so that a CRC of bytes that hold a CRC is none of note. */
export function maskedCrc(bytes: Uint8Array): number {
  const crc = crc32c(bytes)
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}

/** Bytes as a record of a TFRecord file: their length, its CRC, they themselves, their CRC, all little-endian. */
export function record(data: Uint8Array): Buffer {
  const framed = Buffer.alloc(data.length + 16)
  framed.writeUInt32LE(data.length % 0x1_0000_0000, 0)
  framed.writeUInt32LE(Math.floor(data.length / 0x1_0000_0000), 4)
  framed.writeUInt32LE(maskedCrc(framed.subarray(0, 8)), 8)
  framed.set(data, 12)
  framed.writeUInt32LE(maskedCrc(data), data.length + 12)
  return framed
}
