import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AttackReport, type ImageRecord, storedImage, storedReport } from '../../attacks/index.ts'
import { jsonSafe } from '../../core/json-safe.ts'
import { writeWholeFile } from '../../trace/index.ts'

/** The files of an attack. Each image has a folder with a run, its pictures and its record. */
export const layout = {
  screening: 'survey.json',
  summary: 'summary.json',
  table: 'images.csv',
  spec: 'spec.json',
  page: 'index.html',
  images: 'images',
  image: 'image.json',
  /** The folder of the run of a universal attack. */
  universal: 'universal',
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
  const found = names.flatMap((name) => {
    const { success, data } = storedImage.safeParse(readJson(join(images, name, layout.image)))
    return success && Number(name) === data.index ? [data] : []
  })
  return new Map(found.map((record) => [record.index, record]))
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
