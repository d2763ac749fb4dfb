import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ZerothError } from '../index.ts'
import type { JsonObject } from '../spec/index.ts'
import { makeFolder } from './make-folder.ts'

/** The file that makes a folder a series: it says which runs belong there, also those that have not begun. */
export const planFile = 'series.json'

/** Several runs that belong together: one spec with several seeds, or a search for its best settings. */
export interface SeriesPlan {
  readonly kind: 'repeat' | 'tune'
  readonly created: string
  /** The version of zeroth that made it. */
  readonly zeroth: string
  /** The resolved spec of all its runs, but for their seeds and what is searched. */
  readonly spec: JsonObject
  readonly seeds: readonly number[]
  readonly search?: SearchPlan | undefined
}

/** What a search tries. */
export interface SearchPlan {
  readonly from: number
  readonly to: number
  readonly betas: boolean
}

/** Makes a folder a series; one that has other things in it is refused. */
export async function createPlan(folder: string, plan: SeriesPlan): Promise<void> {
  await makeFolder(folder)
  const [found] = await readdir(folder)
  if (found !== undefined) {
    throw new ZerothError('invalid-option', `${folder} is not empty (${found}): choose another folder`)
  }
  // Of two that begin at once in the same folder one gets it.
  await writeFile(join(folder, `${planFile}.tmp`), '', { flag: 'wx' })
  await writePlan(folder, plan)
}

/** Writes a plan so that there is always a whole one. */
export async function writePlan(folder: string, plan: SeriesPlan): Promise<void> {
  const file = join(folder, planFile)
  await writeFile(`${file}.tmp`, `${JSON.stringify({ format: 'zeroth-series', version: 1, ...plan }, null, 2)}\n`)
  await rename(`${file}.tmp`, file)
}

/** The plan of a series; undefined where the folder is none. */
export async function readPlan(folder: string): Promise<SeriesPlan | undefined> {
  const file = join(folder, planFile)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  let read: Record<string, unknown>
  try {
    read = JSON.parse(text)
  } catch (cause) {
    throw new ZerothError('invalid-run', `${file} is damaged: it is no JSON`, { cause })
  }
  const problem = problemOf(read)
  if (problem !== undefined) throw new ZerothError('invalid-run', `${file} is damaged: ${problem}`)
  const { format: _, version: __, ...plan } = read
  return plan as unknown as SeriesPlan
}

/** What is wrong with a plan that was read, if anything is; its spec is checked when it is compiled. */
function problemOf(read: Record<string, unknown> | null): string | undefined {
  if (!isObject(read) || read.format !== 'zeroth-series') return 'its format is not "zeroth-series"'
  if (read.version !== 1) return `its version is ${String(read.version)}, this zeroth knows 1`
  const { kind, seeds, spec, search } = read
  if (!isObject(spec)) return 'it has no spec'
  if (!Array.isArray(seeds) || seeds.length === 0 || !seeds.every((seed) => Number.isSafeInteger(seed) && seed >= 0)) {
    return 'its seeds must be whole numbers of at least 0'
  }
  if (kind === 'repeat') return undefined
  if (kind !== 'tune') return `its kind must be repeat or tune, got ${String(kind)}`
  const isSearch = isObject(search) && Number.isFinite(search.from) && Number.isFinite(search.to)
  return isSearch && typeof search.betas === 'boolean' ? undefined : 'it does not say what is searched'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
