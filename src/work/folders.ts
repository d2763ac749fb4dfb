import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ZerothError } from '../index.ts'
import type { JsonObject } from '../spec/index.ts'
import { listRuns } from '../trace/index.ts'
import type { WorkKind } from './events.ts'
import { unwritable } from './unwritable.ts'

/** Where runs live unless --out says otherwise. */
export const runsFolder = 'zeroth-runs'

/** The file that makes a folder a series or a tuning: it says which runs belong there, also those that have not begun. */
export const planFile = 'series.json'

/** The file that makes a folder an attack: an evaluation of a classifier with a run for every image. */
export const attackFile = 'attack.json'

/** A folder for a new run, and what the run is called. */
export interface RunPlace {
  readonly folder: string
  readonly id: string
}

/** What a run, or several, is called unless it is named: what it is about. */
export function defaultName(resolved: JsonObject, specFile: string | undefined, ending: string): string {
  const subject = specFile === undefined ? nameOf(resolved.objective) : basename(specFile).replace(/\.[^.]*$/, '')
  return slug(`${subject}-${nameOf(resolved.solver)}-${ending}`)
}

/** The folder that --out names, or a new one of the given name or nearly: no other process gets the same. */
export function newRunPlace(out: string | undefined, name: string): RunPlace {
  if (out !== undefined) {
    const folder = resolve(out)
    return { folder, id: idOf(folder) }
  }
  makeNew(runsFolder)
  for (let number = 1; ; number++) {
    const id = number === 1 ? name : `${name.slice(0, 56)}-${number}`
    const folder = join(runsFolder, id)
    if (makeNew(folder)) return { folder, id }
  }
}

/** Makes a folder; false where there is something already. */
function makeNew(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** What a run is called in its own files: after its folder. */
export function idOf(folder: string): string {
  return slug(basename(resolve(folder))) || 'run'
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
  throw new ZerothError('invalid-option', `${given} is not a run: ${why}`)
}

/** As `runPlace`, but any folder will do: it stands for the runs inside it. */
export function runsPlace(given: string): string {
  const isOne = places(given).some(isOurs)
  return (isOne ? undefined : places(given).find(isFolder)) ?? runPlace(given)
}

/** The runs that are meant by the folder or the name of a run, of a series, or of a folder with runs in it. */
export async function runsOf(given: string): Promise<string[]> {
  const place = runsPlace(given)
  if (isRun(place)) return [place]
  if (isAttack(place)) {
    const advice = `zeroth show, report and compare know it, and ${join(place, 'images.csv')} has all its images`
    throw new ZerothError('invalid-option', `${place} is an attack: ${advice}`)
  }
  const inside = await listRuns(place)
  if (inside.length > 0) return inside.map(({ folder }) => folder)
  const attack = readdirSync(place).find((name) => isAttack(join(place, name)))
  const advice = attack === undefined ? '' : `; it contains attacks, which are taken one by one: ${join(place, attack)}`
  throw new ZerothError('invalid-option', `${place} is not a run and contains none${advice}`)
}

function places(given: string): string[] {
  return [given, join(runsFolder, given)]
}

/** What kind of work a folder is; undefined where it is none. A series whose plan cannot be read counts as one. */
export function kindOf(folder: string): WorkKind | undefined {
  if (isRun(folder)) return 'run'
  if (isAttack(folder)) return 'evaluation'
  if (!isSeries(folder)) return undefined
  try {
    const { kind } = JSON.parse(readFileSync(join(folder, planFile), 'utf8'))
    return kind === 'tune' ? 'tuning' : 'series'
  } catch {
    return 'series'
  }
}

/** Whether a folder is a run. */
export function isRun(folder: string): boolean {
  return existsSync(join(folder, 'meta.json'))
}

/** Whether several works belong together here: those of a series, or of a tuning. */
export function isSeries(folder: string): boolean {
  return existsSync(join(folder, planFile))
}

/** Whether a folder is an evaluation: a classifier is attacked here. */
export function isAttack(folder: string): boolean {
  return existsSync(join(folder, attackFile))
}

function isOurs(folder: string): boolean {
  return isRun(folder) || isSeries(folder) || isAttack(folder)
}

/** Whether a path is a folder. */
export function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
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

/** Makes a folder and those above it, one after the other: Node's own way of doing so never returns below /proc. */
export async function makeFolder(folder: string): Promise<void> {
  const missing: string[] = []
  for (let at = resolve(folder); !(await made(at, dirname(at) !== at)); at = dirname(at)) missing.push(at)
  for (const each of missing.reverse()) await made(each, false)
}

/** Makes one folder, unless it is there or was just made by others; false where the one above it may be missing. */
async function made(folder: string, mayBeBelow: boolean): Promise<boolean> {
  try {
    await mkdir(folder)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && isFolder(folder)) return true
    if (code === 'ENOENT' && mayBeBelow) return false
    throw unwritable(folder, error)
  }
}
