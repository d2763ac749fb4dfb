import { existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ZerothError } from '../../../optimizer/core/errors.ts'
import { jsonSafe } from '../../../optimizer/core/exact-json.ts'
import { Issue, type Type } from '../../../optimizer/core/options.ts'
import { className } from '../../../robustness/images/index.ts'
import {
  type AttackPoint,
  type AttackReport,
  type ImageRecord,
  type LimitSummary,
  type NoiseRecord,
  parseStored,
  type ScreenedImage,
  storedImage,
  storedNoise,
  storedReport,
  storedScreening,
} from '../../../robustness/index.ts'
import { digest, readOrdinary } from '../../store/index.ts'
import { makeFolder } from '../folders.ts'
import { type Cell, csvLine } from '../formats.ts'
import { readStored, writeStored } from '../job.ts'

/** The files of an attack. Each image has a folder with a run, its pictures and its record. */
export const layout = {
  screening: 'screening.json',
  /** What is known of the images while they are screened. */
  screened: 'screening.jsonl',
  summary: 'summary.json',
  /** Failed queries that no record of an image has: those of tries that were given up. */
  unanswered: 'lost-queries.json',
  /** Seconds of work; apart from the report, which has the same bytes however often it was interrupted. */
  time: 'time.json',
  table: 'images.csv',
  /** Robust accuracy against the limit, of an evaluation with several. */
  limits: 'limits.csv',
  /** The comparison with a baseline, where one was given. */
  baseline: 'baseline.json',
  spec: 'spec.json',
  page: 'index.html',
  images: 'images',
  image: 'image.json',
  /** The folder of the run of a universal attack. */
  universal: 'universal',
  /** Below the folder of an image: the run of the second method. */
  second: 'second',
} as const

/** The folder of an image's files, relative to the attack's. */
export function imageFolder(index: number): string {
  return join(layout.images, String(index).padStart(4, '0'))
}

/** What the JSON files of an evaluation call themselves. */
const formats: Readonly<Record<string, string>> = {
  [layout.screening]: 'zeroth-screening',
  [layout.summary]: 'zeroth-attack-summary',
  [layout.unanswered]: 'zeroth-unanswered',
  [layout.time]: 'zeroth-time',
  [layout.baseline]: 'zeroth-baseline-comparison',
  [layout.image]: 'zeroth-image',
}

/** Writes a JSON file of an evaluation, sealed as those of runs are, so that there is always a whole file. */
export function writeJson(file: string, content: object): void {
  writeStored(file, formats[basename(file)] as string, jsonSafe(content) as object)
}

/** The same data with the fields in the order of its table. */
export function inOrder<Content>(of: Type<Content>, content: Content): Content {
  return parseStored(of, jsonSafe(content))
}

/** What a JSON file of an evaluation holds; undefined where there is none. One that does not fit its seal is refused. */
export function readJson(file: string): Record<string, unknown> | undefined {
  try {
    return readStored(file, formats[basename(file)] as string)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error instanceof ZerothError ? withAdvice(error) : error
  }
}

function withAdvice(error: ZerothError): ZerothError {
  const advice = 'zeroth resume on the folder of the evaluation makes it again'
  return new ZerothError(error.code, `${error.message}; ${advice}`, { cause: error })
}

/** A line of JSON behind its SHA-256. */
export function sealedLine(content: object): string {
  const text = JSON.stringify(jsonSafe(content))
  return `${digest(text)} ${text}\n`
}

/** The sealed lines of a file, up to one that is torn or damaged. */
function readLines(file: string): Record<string, unknown>[] {
  if (!existsSync(file)) return []
  const lines = new TextDecoder().decode(readOrdinary(file)).split('\n')
  const bad = lines.findIndex((line) => line.slice(0, 64) !== digest(line.slice(65)))
  return lines.slice(0, bad < 0 ? lines.length : bad).map((line) => JSON.parse(line.slice(65)))
}

/** Reads a picture of an image, by its name in the record; one that is not what was saved is refused. */
export function readPicture(folder: string, { pictureHashes = {} }: ImageRecord, file: string): Uint8Array {
  const path = join(folder, file)
  const png = readOrdinary(path)
  if (digest(png) === pictureHashes[file]) return png
  const error = new ZerothError('invalid-run', `${path} is not the picture that was saved: it was damaged or changed`)
  throw withAdvice(error)
}

/** A file of an evaluation that does not hold what was written, and the image whose it is, where it is one's. */
interface DamagedFile {
  readonly file: string
  readonly why: string
  readonly index?: number | undefined
}

/** The files of an evaluation that are not what was written, but for the runs of its images, which look after themselves. */
export function damagedFiles(folder: string): DamagedFile[] {
  const own = [layout.screening, layout.summary, layout.unanswered, layout.time, layout.baseline]
  const shared = new Set<string>()
  const ofImage = (index: number): DamagedFile[] => {
    const file = join(imageFolder(index), layout.image)
    const found = damageIn(file, () => readJson(join(folder, file)), index)
    if (found.length > 0) return found
    const record = readImage(folder, index)
    const pictures = Object.keys(record?.pictureHashes ?? {}).filter((name) => !shared.has(name))
    return pictures.flatMap((name) => {
      if (!name.startsWith(layout.images)) shared.add(name)
      return damageIn(name, () => readPicture(folder, record as ImageRecord, name), index)
    })
  }
  return [
    ...own.flatMap((file) => damageIn(file, () => readJson(join(folder, file)))),
    ...imageNumbers(folder).flatMap(ofImage),
  ]
}

function damageIn(file: string, read: () => unknown, index?: number): DamagedFile[] {
  try {
    read()
    return []
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    if (code === 'invalid-run') return [{ file, index, why: message }]
    // A picture that somebody deleted is not shown, and no more.
    if (code === 'ENOENT') return []
    throw error
  }
}

/**
 * Removes what is not what was written, and what was made from it: all of it is made again, an image's record from its
 * run. What is removed is said. The folder must be locked.
 */
export function removeDamaged(folder: string, note: (text: string) => void): void {
  const remove = (file: string): void => rmSync(join(folder, file), { force: true })
  for (const { file, why, index } of damagedFiles(folder)) {
    const lost = file === layout.unanswered ? '; failed queries of tries that were given up are no longer counted' : ''
    note(`${why.replace(/; zeroth resume .*/, '')}${lost === '' ? '; it is made again' : lost}`)
    remove(file)
    if (index !== undefined) remove(join(imageFolder(index), layout.image))
    if (file === layout.time || file === layout.unanswered || file === layout.baseline) continue
    for (const made of [layout.summary, layout.page, layout.table, layout.limits]) remove(made)
  }
}

/** Keeps the record of an image: the model will not be asked about it again. */
export function writeImage(folder: string, record: ImageRecord): void {
  writeJson(join(folder, imageFolder(record.index), layout.image), record)
}

/** Takes the record of an image that was attacked elsewhere. */
export async function takeImage(folder: string, record: ImageRecord): Promise<void> {
  await makeFolder(join(folder, imageFolder(record.index)))
  writeImage(folder, record)
}

/** The images that earlier processes completed. */
export function readImages(folder: string): Map<number, ImageRecord> {
  const found = imageNumbers(folder).flatMap((index) => readImage(folder, index) ?? [])
  return new Map(found.map((record) => [record.index, record]))
}

function imageNumbers(folder: string): number[] {
  const images = join(folder, layout.images)
  return existsSync(images) ? readdirSync(images).map(Number).filter(Number.isInteger) : []
}

/** The record of an image that is done; undefined where there is none, or none of this version: it is made again. */
export function readImage(folder: string, index: number): ImageRecord | undefined {
  const found = storedImage.read(readJson(join(folder, imageFolder(index), layout.image)))
  return found instanceof Issue || found.index !== index ? undefined : found
}

/** Keeps the report of an attack, the same bytes whether it was interrupted or not; the course of each image is in its own file. */
export function writeReport(folder: string, { images, ...rest }: AttackReport): void {
  const short = images.map((image) => ({ ...image, curve: null }))
  const report = inOrder(storedReport, { ...rest, images: short })
  writeJson(join(folder, layout.summary), report)
}

/** The report of an attack, the course of each image included; undefined where it has not finished. */
export function readReport(folder: string): AttackReport | undefined {
  const data = storedReport.read(readJson(join(folder, layout.summary)))
  if (data instanceof Issue) return undefined
  const known = readImages(folder)
  return { ...data, images: data.images.map((image) => ({ ...image, curve: known.get(image.index)?.curve ?? null })) }
}

/** Seconds that all processes together have worked on an attack; undefined where nobody measured. */
export function readSeconds(folder: string): number | undefined {
  const { seconds } = readJson(join(folder, layout.time)) ?? {}
  return typeof seconds === 'number' && seconds >= 0 ? seconds : undefined
}

/** Measures the seconds of this process; each call adds them to those of earlier ones, in the file. */
export function secondsKeeper(folder: string): () => void {
  const before = readSeconds(folder) ?? 0
  const began = performance.now()
  return () => {
    const seconds = before + (performance.now() - began) / 1000
    writeJson(join(folder, layout.time), { seconds: Math.round(seconds * 1000) / 1000 })
  }
}

/** Counts failed queries of images whose attacks are asked again; returns all of an image. */
export function unansweredQueries(folder: string): (index: number, queries: number) => number {
  const file = join(folder, layout.unanswered)
  const known: Record<string, unknown> = readJson(file) ?? {}
  return (index, queries) => {
    const total = Number(known[index] ?? 0) + queries
    if (queries === 0) return total
    known[index] = total
    writeJson(file, known)
    return total
  }
}

/** What a cell is made from: an image, and what the classes are called. */
type Column = (image: ImageRecord, names: ClassNames) => Cell
type ClassNames = readonly string[] | undefined

const columns: Readonly<Record<string, Column>> = {
  index: ({ index }) => index,
  title: ({ title }) => title,
  label: ({ label }) => label,
  labelName: ({ label }, names) => className(label, names),
  predicted: ({ predicted }) => predicted,
  predictedName: ({ predicted }, names) => className(predicted, names),
  target: ({ target }) => target,
  targetName: ({ target }, names) => className(target, names),
  status: ({ status }) => status,
  reason: ({ reason }) => reason,
  queries: ({ queries }) => queries,
  modelCalls: ({ modelCalls }) => modelCalls,
  failedQueries: ({ failedQueries }) => failedQueries,
  retries: ({ retries }) => retries,
  ...pointColumns('first'),
  ...pointColumns('best'),
  ...pointColumns('final'),
  success8bit: ({ success8bit }) => success8bit,
  savedPredicted: ({ saved }) => saved?.predicted,
  savedPredictedName: ({ saved }, names) => className(saved?.predicted, names),
  savedL2sq: ({ saved }) => saved?.l2sq,
  savedL2: ({ saved }) => saved?.l2,
  savedLinf: ({ saved }) => saved?.linf,
  savedFrom: ({ saved }) => saved?.from,
  savedStretch: ({ saved }) => (saved === null ? undefined : (saved.stretch ?? 1)),
  stopReason: ({ stopReason }) => stopReason,
  original: ({ files }) => files?.original,
  adversarial: ({ files }) => files?.adversarial,
  perturbation: ({ files }) => files?.perturbation,
}

/** Of an evaluation with several limits: the smallest within which the image was fooled. */
const limitColumns: Readonly<Record<string, Column>> = {
  fooledWithinLinf: ({ limits }) => limits?.findLast(({ status }) => status === 'fooled')?.linf,
  fooledWithinL2: ({ limits }) => limits?.findLast(({ status }) => status === 'fooled')?.l2,
}

/** All images as rows of a table, with the names of the columns; what does not apply is undefined or null. */
export function imageTable(images: readonly ImageRecord[], classNames?: ClassNames) {
  const all = images.some(({ limits }) => limits !== undefined) ? { ...columns, ...limitColumns } : columns
  const rows = images.map((image) => Object.values(all).map((cell) => cell(image, classNames)))
  return { names: Object.keys(all), rows }
}

/** The same as CSV; texts that a spreadsheet would take for formulas are marked as text. */
export function imagesCsv(images: readonly ImageRecord[], classNames?: ClassNames): string {
  const { names, rows } = imageTable(images, classNames)
  return [names, ...rows].map(csvLine).join('')
}

function pointColumns(moment: 'first' | 'best' | 'final'): Record<string, Column> {
  const fields = ['iteration', 'queries', 'l2sq', 'l2', 'linf', 'margin', 'predicted'] as const
  const named = (field: keyof AttackPoint) => `${moment}${field.slice(0, 1).toUpperCase()}${field.slice(1)}`
  return Object.fromEntries(fields.map((field) => [named(field), (image: ImageRecord) => image[moment]?.[field]]))
}

const limitsCsvColumns: Readonly<Record<string, (limit: LimitSummary) => Cell>> = {
  linf: ({ linf }) => linf,
  l2: ({ l2 }) => l2,
  robustAccuracy: ({ robustAccuracy }) => robustAccuracy,
  intervalLow: ({ robustAccuracyInterval: [low] }) => low,
  intervalHigh: ({ robustAccuracyInterval: [, high] }) => high,
  fooled: ({ fooled }) => fooled,
  robust: ({ robust }) => robust,
  unmeasured: ({ unmeasured }) => unmeasured,
  queries: ({ queries }) => queries,
}

/** Robust accuracy against the limit as a CSV table, the smallest limit first. */
export function limitsCsv(limits: readonly LimitSummary[]): string {
  const lines = limits.map((limit) => Object.values(limitsCsvColumns).map((cell) => cell(limit)))
  return [Object.keys(limitsCsvColumns), ...lines].map(csvLine).join('')
}

/** What screening has found, and what it says about the model. */
export interface Screening {
  readonly screened: readonly ScreenedImage[]
  readonly warnings: readonly string[]
  /** How much of what probes measure is noise; null or left out where that was not measured. */
  readonly noise?: NoiseRecord | null | undefined
  /** Whether enough images were found and the warnings are known. */
  readonly isComplete: boolean
}

/** Keeps what screening has found. */
export function writeScreening(folder: string, { screened, warnings, noise, isComplete }: Screening): void {
  const found = {
    isComplete,
    warnings,
    ...(noise == null ? {} : { noise }),
    screened: inOrder(storedScreening, screened),
  }
  writeJson(join(folder, layout.screening), found)
  rmSync(join(folder, layout.screened), { force: true })
}

/** What earlier processes found; undefined if there is nothing. */
export function readScreening(folder: string): Screening | undefined {
  const whole = readJson(join(folder, layout.screening))
  const {
    screened: stored,
    warnings,
    noise,
    isComplete,
  } = whole ?? {
    screened: readLines(join(folder, layout.screened)).flatMap(({ screened }) => screened),
  }
  const screened = storedScreening.read(stored)
  if (screened instanceof Issue) return undefined
  const texts = Array.isArray(warnings) ? warnings.map(String) : []
  const measured = storedNoise.read(noise)
  return {
    screened,
    warnings: texts,
    ...(measured instanceof Issue ? {} : { noise: measured }),
    isComplete: isComplete === true,
  }
}

/** The numbers of the images that are attacked. */
export function attackedIndices(screened: readonly ScreenedImage[]): number[] {
  return screened.filter(({ status }) => status === 'attacked').map(({ index }) => index)
}

/** Whether an image failed or is unfinished because the model did not respond, or contradicted itself: it may do better now. */
export function isWorthAnother({ status, predicted, modelCalls }: ImageRecord): boolean {
  if (status === 'unfinished' || status === 'unconfirmed') return true
  return status === 'failed' && (predicted !== null || modelCalls > 0)
}
