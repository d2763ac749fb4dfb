import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AttackReport,
  type ImageRecord,
  type Looked,
  storedImage,
  storedLooks,
  storedReport,
} from '../../attacks/index.ts'
import { jsonSafe } from '../../core/json-safe.ts'
import { imageFolder, layout, readJson, writeJson } from './attack-layout.ts'

/** What a look at the images found, and what it says about the model. */
export interface Survey {
  readonly looked: readonly Looked[]
  readonly warnings: readonly string[]
  /** Whether enough images were found, and what they say was thought about. */
  readonly isComplete: boolean
}

/** Keeps what a look at the images has found so far. */
export function writeSurvey(folder: string, { looked, warnings, isComplete }: Survey): void {
  writeJson(join(folder, layout.survey), { format: 'zeroth-survey', version: 1, isComplete, warnings, looked })
}

/** What an earlier process found; undefined where there is none, or none that can be read. */
export function readSurvey(folder: string): Survey | undefined {
  const { looked, warnings, isComplete } = readJson(join(folder, layout.survey)) ?? {}
  const found = storedLooks.safeParse(looked)
  if (!found.success) return undefined
  const texts = Array.isArray(warnings) ? warnings.map(String) : []
  return { looked: found.data, warnings: texts, isComplete: isComplete === true }
}

/** Keeps what became of an image: nothing will be asked about it again. */
export function writeImage(folder: string, record: ImageRecord): void {
  writeJson(join(folder, imageFolder(record.index), layout.image), record)
}

/** The images that an earlier process was done with. A record that cannot be read is made again, from its run. */
export function readImages(folder: string): Map<number, ImageRecord> {
  const images = join(folder, layout.images)
  const names = existsSync(images) ? readdirSync(images) : []
  const found = names.flatMap((name) => {
    const { success, data } = storedImage.safeParse(readJson(join(images, name, layout.image)))
    return success && Number(name) === data.index ? [data] : []
  })
  return new Map(found.map((record) => [record.index, record]))
}

/** Keeps what an attack came to, the same bytes however often it was interrupted; the course of each image is in its own file. */
export function writeReport(folder: string, { images, ...rest }: AttackReport): void {
  const short = images.map((image) => ({ ...image, curve: null }))
  // Read once, fields have the order of the schema.
  const report = storedReport.parse(jsonSafe({ ...rest, images: short }))
  writeJson(join(folder, layout.summary), { format: 'zeroth-attack-summary', version: 1, ...report })
}

/** What an attack came to, the course of each image included; undefined where it has not come to its end. */
export function readReport(folder: string): AttackReport | undefined {
  const { format: _, version: __, ...stored } = readJson(join(folder, layout.summary)) ?? {}
  const { success, data } = storedReport.safeParse(stored)
  if (!success) return undefined
  const known = readImages(folder)
  return { ...data, images: data.images.map((image) => ({ ...image, curve: known.get(image.index)?.curve ?? null })) }
}
