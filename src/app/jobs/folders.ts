import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ZerothError } from '../../index.ts'
import { milliseconds } from '../provenance/wall-clock.ts'
import type { JsonObject } from '../spec/index.ts'
import { listRuns, readOrdinary } from '../store/index.ts'

/** What a job is: one minimisation, repeats of it with several seeds (a series), a search for settings, a robustness evaluation. */
export type JobKind = 'run' | 'series' | 'tuning' | 'evaluation'

/** Where runs live unless --out says otherwise. */
export const runsFolder = 'zeroth-runs'

/** The file that makes a folder a series or a tuning: it says which runs belong there, also those that have not begun. */
export const planFile = 'series.json'

/** The file that makes a folder an attack: an evaluation of a classifier with a run for every image. */
export const attackFile = 'attack.json'

/** A folder for a new run, and what the run is called. */
interface RunPlace {
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
  const message =
    there === undefined
      ? `there is no run ${given} (looked for ${places(given).join(' and ')})`
      : `${given} is not a run: ${there} has no meta.json, no ${planFile} and no ${attackFile}`
  throw new ZerothError('invalid-option', message)
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

/** What kind of job a folder is; undefined where it is none. A series whose plan cannot be read counts as one. */
export function kindOf(folder: string): JobKind | undefined {
  if (isRun(folder)) return 'run'
  if (isAttack(folder)) return 'evaluation'
  if (!isPlanned(folder)) return undefined
  try {
    const { kind } = JSON.parse(new TextDecoder().decode(readOrdinary(join(folder, planFile))))
    return kind === 'tune' ? 'tuning' : 'series'
  } catch {
    return 'series'
  }
}

/** Whether a folder is a run. */
export function isRun(folder: string): boolean {
  return existsSync(join(folder, 'meta.json'))
}

/** Whether several jobs belong together here: those of a series, or of a tuning. */
export function isPlanned(folder: string): boolean {
  return existsSync(join(folder, planFile))
}

/** Whether a folder is an evaluation: a classifier is attacked here. */
export function isAttack(folder: string): boolean {
  return existsSync(join(folder, attackFile))
}

function isOurs(folder: string): boolean {
  return isRun(folder) || isPlanned(folder) || isAttack(folder)
}

/** Whether a path is a folder. */
export function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

function nameOf(part: unknown): string {
  if (typeof part === 'string') return part
  const { name = 'run', module } = (part ?? {}) as { readonly name?: unknown; readonly module?: unknown }
  return module === undefined ? String(name) : basename(String(module)).replace(/\..*$/, '')
}

/** Small letters, digits and hyphens only, 60 at most. */
export function slug(text: string): string {
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

/**
 * The error of writing a file or making a folder, in words where the place itself is at fault: a file where a folder should
 * be, no folder, or one that takes nothing, as in /proc. Other errors, as that of a full disk, as they are.
 */
export function unwritable(path: string, error: unknown): unknown {
  const why = faultOf(path, (error as NodeJS.ErrnoException | undefined)?.code)
  if (why === undefined) return error
  return new ZerothError('invalid-option', `cannot write ${path}: ${why}`, { cause: error })
}

function faultOf(path: string, code: string | undefined): string | undefined {
  if (code === 'EISDIR') return 'it is a folder: give the name of a file'
  if (code !== 'ENOTDIR' && code !== 'ENOENT' && code !== 'EEXIST') return undefined
  const there = nearest(path)
  if (!there.isFolder) {
    return `${there.path === resolve(path) ? 'it' : there.path} is a file, not a folder: choose another place`
  }
  if (there.path === dirname(resolve(path))) return `nothing can be made in ${there.path}: choose another place`
  return `there is no folder ${dirname(path)}: make it first, or choose another place`
}

/** What there is of the way to a place: itself, or the innermost of those above it. */
function nearest(path: string): { readonly path: string; readonly isFolder: boolean } {
  for (let at = resolve(path); ; at = dirname(at)) {
    if (existsSync(at)) return { path: at, isFolder: statSync(at).isDirectory() }
    if (dirname(at) === at) return { path: at, isFolder: true }
  }
}

type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/**
 * Writes data to a file that is there only once it is complete; a device or a pipe takes it as it comes. Until then it has a
 * name beside that of the file, or the given one in the same folder.
 */
export async function writeToFile(path: string, pieces: Pieces, unfinished?: string): Promise<void> {
  const opened = (file: string, flags: 'w' | 'wx'): Promise<FileHandle> =>
    open(file, flags).catch((error: unknown) => {
      throw unwritable(path, error)
    })
  await refuseForeignLink(path)
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && !found.isFile()) return writeAll(await opened(path, 'w'), pieces)
  const target = found === undefined ? path : await realpath(path)
  const [folder, stem] = [dirname(target), unfinished ?? basename(target)]
  await sweep(folder, stem)
  const temporary = join(folder, temporaryName(stem, process.pid))
  // An earlier process may have had our number. If it cannot be removed, opening says why.
  await rm(temporary, { force: true }).catch(() => undefined)
  const file = await opened(temporary, 'wx')
  try {
    await writeAll(file, pieces, true)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Another user of this machine may have put a link where a file is to be, to have one of ours overwritten. */
async function refuseForeignLink(path: string): Promise<void> {
  const link = await lstat(path).catch(() => undefined)
  if (link === undefined || !link.isSymbolicLink() || link.uid === process.getuid?.()) return
  const { uid } = await stat(dirname(path))
  if (link.uid !== uid) throw new ZerothError('storage-failed', `cannot write ${path}: it is a link of another user`)
}

/** Says whose it is, so that it can be told when that process was killed. */
function temporaryName(stem: string, pid: number): string {
  return `${stem}.${pid}.tmp`
}

/** Milliseconds for which nothing was written to what is left over: a process of another machine may be at work. */
const untouched = 60_000

/** Removes what killed processes have left of files that they were writing. */
async function sweep(folder: string, stem: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = Number(/\.(\d{1,10})\.tmp$/.exec(name)?.[1])
    if (name !== temporaryName(stem, pid) || isAlive(pid)) continue
    const file = join(folder, name)
    const { mtimeMs = Infinity } = (await stat(file).catch(() => undefined)) ?? {}
    if (milliseconds() - mtimeMs > untouched) await rm(file, { force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function writeAll(file: FileHandle, pieces: Pieces, lasting = false): Promise<void> {
  try {
    for await (const piece of pieces) await file.writeFile(piece)
    if (lasting) await file.datasync()
  } finally {
    await file.close()
  }
}
