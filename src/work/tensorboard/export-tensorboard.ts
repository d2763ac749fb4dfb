import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ZerothError } from '../../index.ts'
import { millisecondsAt } from '../../provenance/wall-clock.ts'
import { makeFolder } from '../folders.ts'
import { trackWorks } from '../tracking/track-works.ts'
import type { Metric, Tracked } from '../tracking/tracked.ts'
import { writeToFile } from '../write-to-file.ts'
import { type Moment, pictureEvent, scalarEvent, shortScalarEvent, textEvent, versionEvent } from './event.ts'
import { record } from './record.ts'

/** Bytes that are written together. */
const pieceLength = 1 << 16

/**
 * Writes the work in a folder as event files of TensorBoard, one folder below `into` for each run, series, tuning and
 * evaluation, and returns the files. Numbers are float64, their steps queries;
 * below `float32` are those that TensorBoard's fast loader shows. A work that is exported again replaces its
 * file; a folder that holds that of another one is refused.
 */
export async function exportTensorBoard(given: string, into: string): Promise<string[]> {
  const works = await trackWorks(given)
  const files = works.map((work) => join(into, ...work.path, fileName(work)))
  for (const [i, work] of works.entries()) await refuseOthers(join(into, ...work.path), files[i] as string)
  for (const [i, work] of works.entries()) {
    await makeFolder(join(into, ...work.path))
    // TensorBoard reads whatever has "tfevents" in its name: what is not finished has another.
    await writeToFile(files[i] as string, inPieces(eventsOf(work)), `.unfinished-${process.pid}`)
  }
  return files
}

/** The same for the same work, so that it is not there twice: TensorBoard puts all files of a folder into one curve. */
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

async function* eventsOf(work: Tracked): AsyncGenerator<Buffer, void, void> {
  const began = millisecondsAt(work.created) / 1000
  const at = ({ step, seconds }: Pick<Metric, 'step' | 'seconds'>): Moment => ({ time: began + seconds, step })
  const end = at({ step: work.end.queries, seconds: work.end.seconds })
  yield versionEvent(began)
  for (const [tag, text] of textsOf(work)) yield textEvent(tag, text, { time: began, step: 0 })
  for (const metrics of [work.history(), work.curves(), work.images]) {
    for (const metric of metrics) yield* scalarEvents(metric.name, metric.value, at(metric))
  }
  for (const [name, value] of work.results) yield* scalarEvents(name, value, end)
  for (const { name, file, about } of work.pictures) yield pictureEvent(name, await pictureIn(file), end, plain(about))
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
  const png = await readFile(file)
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20), png }
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
