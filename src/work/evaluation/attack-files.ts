import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AttackPoint,
  type AttackReport,
  type ImageRecord,
  storedImage,
  storedReport,
} from '../../attacks/index.ts'
import { jsonSafe } from '../../core/json-safe.ts'
import { className } from '../../datasets/index.ts'
import { writeWholeFile } from '../../trace/index.ts'
import { type Cell, csvLine } from '../csv-cell.ts'

/** The files of an attack. Each image has a folder with a run, its pictures and its record. */
export const layout = {
  screening: 'survey.json',
  summary: 'summary.json',
  /** Failed queries that no record of an image has: those of tries that were given up. */
  lost: 'lost-queries.json',
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

/** Writes JSON so that there is always a whole file. */
export function writeJson(file: string, content: object): void {
  writeWholeFile(file, `${JSON.stringify(jsonSafe(content))}\n`)
}

/** What a JSON file holds; undefined where there is none, or none that can be read. */
export function readJson(file: string): Record<string, unknown> | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : undefined
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Keeps the record of an image: the model will not be asked about it again. */
export function writeImage(folder: string, record: ImageRecord): void {
  writeJson(join(folder, imageFolder(record.index), layout.image), record)
}

/** The images that earlier processes completed. A record that cannot be read is made again, from its run. */
export function readImages(folder: string): Map<number, ImageRecord> {
  const images = join(folder, layout.images)
  const names = existsSync(images) ? readdirSync(images) : []
  const found = names.flatMap((name) => readImage(folder, Number(name)) ?? [])
  return new Map(found.map((record) => [record.index, record]))
}

/** The record of an image that is done; undefined where there is none that can be read. */
export function readImage(folder: string, index: number): ImageRecord | undefined {
  const { success, data } = storedImage.safeParse(readJson(join(folder, imageFolder(index), layout.image)))
  return success && data.index === index ? data : undefined
}

/** Keeps the report of an attack, the same bytes whether it was interrupted or not; the course of each image is in its own file. */
export function writeReport(folder: string, { images, ...rest }: AttackReport): void {
  const short = images.map((image) => ({ ...image, curve: null }))
  // Read once, fields have the order of the schema.
  const report = storedReport.parse(jsonSafe({ ...rest, images: short }))
  writeJson(join(folder, layout.summary), { format: 'zeroth-attack-summary', version: 1, ...report })
}

/** The report of an attack, the course of each image included; undefined where it has not finished. */
export function readReport(folder: string): AttackReport | undefined {
  const { format: _, version: __, ...stored } = readJson(join(folder, layout.summary)) ?? {}
  const { success, data } = storedReport.safeParse(stored)
  if (!success) return undefined
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
export function lostQueries(folder: string): (index: number, queries: number) => number {
  const file = join(folder, layout.lost)
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
