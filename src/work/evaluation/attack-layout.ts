import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonSafe } from '../../core/json-safe.ts'
import { writeWholeFile } from '../../trace/index.ts'

/** The files of an attack. Each image has a folder with a run, its pictures and its record. */
export const layout = {
  survey: 'survey.json',
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
