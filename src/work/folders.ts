import { existsSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { ZerothError } from '../index.ts'
import type { JsonObject } from '../spec/index.ts'
import { planFile } from './series-plan.ts'

/** Where runs live unless --out says otherwise. */
export const runsFolder = 'zeroth-runs'

/** The file that makes a folder an attack: an evaluation of a classifier with a run for every image. */
export const attackFile = 'attack.json'

/** A folder for a new run, and what the run is called. */
export interface RunPlace {
  readonly folder: string
  readonly id: string
}

/** What a run, or something made of runs, is called if nobody says otherwise: what it is about. */
export function defaultName(resolved: JsonObject, specFile: string | undefined, ending: string): string {
  const subject = specFile === undefined ? nameOf(resolved.objective) : basename(specFile).replace(/\.[^.]*$/, '')
  return slug(`${subject}-${nameOf(resolved.solver)}-${ending}`)
}

/** The folder that --out names, or a free one of the given name or nearly. */
export function newRunPlace(out: string | undefined, name: string): RunPlace {
  if (out !== undefined) {
    const folder = resolve(out)
    return { folder, id: slug(basename(folder)) || 'run' }
  }
  for (let number = 1; ; number++) {
    const id = number === 1 ? name : `${name.slice(0, 56)}-${number}`
    const folder = join(runsFolder, id)
    if (!existsSync(folder)) return { folder, id }
  }
}

/** The folder of a run, a series or an attack that is given by its path or by its name below the usual folder. */
export function runPlace(given: string): string {
  const found = places(given).find(isOurs)
  if (found !== undefined) return found
  const there = places(given).find(isFolder)
  const why =
    there === undefined
      ? `there is neither a folder ${places(given).join(' nor ')}`
      : `${there} has no meta.json, no ${planFile} and no ${attackFile}`
  throw new ZerothError('invalid-option', `${given} is no run: ${why}`)
}

/** As `runPlace`, but any folder will do: it stands for the runs inside it. */
export function runsPlace(given: string): string {
  const isOne = places(given).some(isOurs)
  return (isOne ? undefined : places(given).find(isFolder)) ?? runPlace(given)
}

function places(given: string): string[] {
  return [given, join(runsFolder, given)]
}

export function isRun(folder: string): boolean {
  return existsSync(join(folder, 'meta.json'))
}

/** Whether several runs belong together here: of a series, or of a search. */
export function isSeries(folder: string): boolean {
  return existsSync(join(folder, planFile))
}

/** Whether a classifier is attacked here. */
export function isAttack(folder: string): boolean {
  return existsSync(join(folder, attackFile))
}

function isOurs(folder: string): boolean {
  return isRun(folder) || isSeries(folder) || isAttack(folder)
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function nameOf(part: unknown): string {
  return typeof part === 'string' ? part : String((part as { name?: unknown } | null)?.name ?? 'run')
}

/** Small letters, digits and hyphens only, 60 at most. */
function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '')
}
