import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { JsonObject } from '../spec/index.ts'

/** Where runs live unless --out says otherwise. */
export const runsFolder = 'zeroth-runs'

/** A folder for a new run, and what the run is called. */
export interface RunPlace {
  readonly folder: string
  readonly id: string
}

/** The folder that --out names, or a free one that says what the run is about. */
export function newRunPlace(out: string | undefined, resolved: JsonObject, specFile: string | undefined): RunPlace {
  if (out !== undefined) {
    const folder = resolve(out)
    return { folder, id: slug(basename(folder)) || 'run' }
  }
  const subject = specFile === undefined ? nameOf(resolved['objective']) : basename(specFile).replace(/\.[^.]*$/, '')
  const base = slug(`${subject}-${nameOf(resolved['solver'])}-${resolved['seed']}`)
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base.slice(0, 56)}-${number}`
    const folder = join(runsFolder, id)
    if (!existsSync(folder)) return { folder, id }
  }
}

/** The folder of a run that is given by its path or by its name below the usual folder. */
export function runPlace(given: string): string {
  if (existsSync(given)) return given
  const usual = join(runsFolder, given)
  return existsSync(usual) ? usual : given
}

function nameOf(part: unknown): string {
  return typeof part === 'string' ? part : String((part as { name?: unknown } | null)?.name ?? 'run')
}

/** Small letters, digits and hyphens only, 60 at most. */
function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
}
