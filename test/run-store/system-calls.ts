import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

/** What a call did to the files below a folder. Files are told by numbers, because names change. */
type Change =
  | { readonly kind: 'name'; readonly path: string; readonly file: number; readonly isFolder: boolean }
  | { readonly kind: 'rename' | 'link'; readonly from: string; readonly path: string }
  | { readonly kind: 'unlink'; readonly path: string }
  | { readonly kind: 'write'; readonly file: number; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly file: number; readonly length: number }
  // What was changed before the call began is on the disk afterwards.
  | { readonly kind: 'sync'; readonly file: number; readonly before: number }
  | { readonly kind: 'sync folder'; readonly path: string; readonly before: number }

type Naming = Exclude<Extract<Change, { readonly path: string }>, { readonly before: number }>
type Writing = Extract<Change, { readonly kind: 'write' | 'truncate' }>

/** What a program did to the files below a folder. */
export interface Recording {
  readonly folder: string
  readonly changes: readonly Change[]
}

/** The files and folders below a folder, by path; a folder has no content. */
export type Disk = ReadonlyMap<string, Buffer | undefined>

const traced =
  'openat,close,dup,dup2,dup3,write,pwrite64,writev,pwritev,ftruncate,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,mkdir,mkdirat'

/** Whether system calls can be recorded on this machine. */
export function canTrace(): boolean {
  try {
    execFileSync('strace', ['-f', '-e', 'trace=none', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Runs a program; returns what it did to the files below `folder`, call by call, in the order in which the calls ended. */
export async function recordChanges(
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Recording> {
  const log = `${folder}.calls`
  const tracer = ['-f', '-xx', '-s', '100000000', '-e', `trace=${traced}`, '-e', 'signal=none', '-o', log]
  const own = { ...process.env, ...env, UV_USE_IO_URING: '0' }
  await promisify(execFile)('strace', [...tracer, process.execPath, ...args], { env: own }).catch((error) => {
    throw new Error(`the recorded program failed (${error.code ?? error.signal}): ${error.stderr}`)
  })
  const changes = changesIn(readFileSync(log, 'latin1'), folder)
  rmSync(log)
  return { folder, changes }
}

interface OpenFile {
  readonly path: string
  readonly file: number
  readonly isAppended: boolean
  position: number
}

/** A system call. */
interface Call {
  readonly name: string
  readonly args: string
  readonly result: number
  /** What `count` said when it began. */
  readonly before: number
}

/** The calls of a log of strace, in the order in which they ended. */
function* callsIn(log: string, count: () => number): Generator<Call, void, void> {
  const begun = new Map<string, { readonly start: string; readonly before: number }>()
  for (const line of log.split('\n')) {
    const [, process = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const [, start] = /^(.*) <unfinished \.\.\.>$/.exec(rest) ?? []
    if (start !== undefined) {
      begun.set(process, { start, before: count() })
      continue
    }
    const [, end] = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest) ?? []
    const { start: first = '', before = count() } = (end === undefined ? undefined : begun.get(process)) ?? {}
    const [, name, args = '', result] = /^(\w+)\((.*)\) += (-?\d+)/.exec(`${first}${end ?? rest}`) ?? []
    if (name !== undefined) yield { name, args, result: Number(result), before }
  }
}

function changesIn(log: string, folder: string): Change[] {
  const changes: Change[] = []
  const sizes = new Map<number, number>()
  const names = new Map<string, number>()
  const folders = new Set<number>()
  const open = new Map<number, OpenFile>()
  let files = 0
  const isWithin = (path: string): boolean => path === folder || path.startsWith(`${folder}/`)
  const create = (path: string, isFolder: boolean): number => {
    const file = ++files
    names.set(path, file)
    sizes.set(file, 0)
    if (isFolder) folders.add(file)
    changes.push({ kind: 'name', path, file, isFolder })
    return file
  }
  const write = (target: OpenFile, bytes: Buffer, given?: number): void => {
    const size = sizes.get(target.file) ?? 0
    const at = target.isAppended ? size : (given ?? target.position)
    if (given === undefined) target.position = at + bytes.length
    sizes.set(target.file, Math.max(size, at + bytes.length))
    changes.push({ kind: 'write', file: target.file, at, bytes })
  }
  const truncate = (file: number, length: number): void => {
    sizes.set(file, length)
    changes.push({ kind: 'truncate', file, length })
  }
  for (const { name, args, result, before } of callsIn(log, () => changes.length)) {
    if (result < 0) continue
    const texts = [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?/g)].map(([, text = '', cut]) => {
      if (cut !== undefined) throw new Error(`${name}: the log has only a part of it`)
      return Buffer.from(text.replaceAll('\\x', ''), 'hex')
    })
    const [first = '', second = ''] = texts.map(String)
    const number = Number.parseInt(args, 10)
    const target = open.get(number)
    if (name === 'openat') {
      open.delete(result)
      if (!isWithin(first)) continue
      const file = names.get(first) ?? (args.includes('O_CREAT') ? create(first, false) : 0)
      open.set(result, { path: first, file, isAppended: args.includes('O_APPEND'), position: 0 })
      if (args.includes('O_TRUNC')) truncate(file, 0)
    } else if (name === 'close') {
      open.delete(number)
    } else if (/^mkdir/.test(name)) {
      if (isWithin(first)) create(first, true)
    } else if (/^(rename|link)/.test(name)) {
      if (!isWithin(second)) continue
      const file = names.get(first)
      if (file === undefined) throw new Error(`${name}: there is no ${first}`)
      names.set(second, file)
      if (name.startsWith('rename')) names.delete(first)
      changes.push({ kind: name.startsWith('link') ? 'link' : 'rename', from: first, path: second })
    } else if (/^(unlink|rmdir)/.test(name)) {
      if (!isWithin(first)) continue
      names.delete(first)
      changes.push({ kind: 'unlink', path: first })
    } else if (target === undefined) {
      // Another file.
    } else if (name === 'write') {
      write(target, (texts[0] as Buffer).subarray(0, result))
    } else if (name === 'pwrite64') {
      write(target, (texts[0] as Buffer).subarray(0, result), Number(args.slice(args.lastIndexOf(',') + 1)))
    } else if (name === 'ftruncate') {
      truncate(target.file, Number(args.slice(args.lastIndexOf(',') + 1)))
    } else if (name === 'fsync' || name === 'fdatasync') {
      const isFolder = target.file === 0 || folders.has(target.file)
      changes.push(
        isFolder ? { kind: 'sync folder', path: target.path, before } : { kind: 'sync', file: target.file, before },
      )
    } else {
      throw new Error(`${name}: this call is not known here`)
    }
  }
  return changes
}

/** What is on the disk of changes that were not forced to it. */
interface Surviving {
  /** Of names that were made, moved and removed. */
  readonly names: (pending: readonly Naming[]) => readonly Naming[]
  /** Of what was written to one file; `isLast` for the file that was written to last. */
  readonly content: (pending: readonly Writing[], isLast: boolean) => readonly Writing[]
}

const all = <T>(pending: readonly T[]): readonly T[] => pending
const none = (): readonly never[] => []
const zeros = (writing: Writing): Writing =>
  writing.kind === 'write' ? { ...writing, bytes: Buffer.alloc(writing.bytes.length) } : writing

/** What a disk may hold when a process or its machine stops. */
export const endings: Readonly<Record<string, Surviving>> = {
  'the process is killed': { names: all, content: all },
  'the last write is torn': {
    names: all,
    content: (pending, isLast) => {
      const last = pending.at(-1)
      if (!isLast || last?.kind !== 'write') return pending
      return [...pending.slice(0, -1), { ...last, bytes: last.bytes.subarray(0, last.bytes.length >> 1) }]
    },
  },
  'only what was synced is there': { names: none, content: none },
  'names are there before content': { names: all, content: none },
  'lengths are there before content': { names: all, content: (pending) => pending.map(zeros) },
  'content is there before names': { names: none, content: all },
  'the first of the pages is missing': {
    names: all,
    content: (pending) => pending.map((writing, i) => (i === 0 ? zeros(writing) : writing)),
  },
  'the first of the names is missing': { names: (pending) => pending.slice(1), content: all },
}

/** What is on the disk if everything stops behind so many changes. */
export function diskAfter({ folder, changes }: Recording, count: number, { names, content }: Surviving): Disk {
  const done = changes.slice(0, count)
  const syncedFolders = new Map<string, number>()
  const syncedFiles = new Map<number, number>()
  for (const change of done) {
    if (change.kind === 'sync folder') syncedFolders.set(change.path, change.before)
    if (change.kind === 'sync') syncedFiles.set(change.file, change.before)
  }
  const namings = done.flatMap((change, at) => ('path' in change && !('before' in change) ? [{ change, at }] : []))
  const isSafe = ({ path }: Naming, at: number): boolean => at < (syncedFolders.get(dirname(path)) ?? 0)
  const pending = namings.filter(({ change, at }) => !isSafe(change, at)).map(({ change }) => change)
  const lost = new Set(pending)
  for (const naming of names(pending)) lost.delete(naming)
  const entries = named(namings.map(({ change }) => change).filter((change) => !lost.has(change)))
  const isReachable = (path: string): boolean =>
    dirname(path) === folder || (entries.get(dirname(path))?.isFolder === true && isReachable(dirname(path)))
  const last = done.findLast((change): change is Writing => change.kind === 'write')?.file
  const contentOf = (file: number): Buffer => {
    const synced = syncedFiles.get(file) ?? 0
    const writings = done.flatMap((change, at) => (isWriting(change) && change.file === file ? [{ change, at }] : []))
    const [safe, later] = [true, false].map((isSafe) => writings.filter(({ at }) => at < synced === isSafe))
    const made = (some = writings): Writing[] => some.map(({ change }) => change)
    return [...made(safe), ...content(made(later), file === last)].reduce(changed, Buffer.alloc(0))
  }
  const reachable = [...entries].filter(([path]) => isReachable(path)).sort(([a], [b]) => (a < b ? -1 : 1))
  return new Map(reachable.map(([path, { file, isFolder }]) => [path, isFolder ? undefined : contentOf(file)]))
}

const isWriting = (change: Change): change is Writing => change.kind === 'write' || change.kind === 'truncate'

/** The files that are there once names were made, moved and removed. */
function named(namings: readonly Naming[]): Map<string, { readonly file: number; readonly isFolder: boolean }> {
  const entries = new Map<string, { readonly file: number; readonly isFolder: boolean }>()
  for (const naming of namings) {
    const moved = 'from' in naming ? entries.get(naming.from) : undefined
    if (naming.kind === 'name') entries.set(naming.path, naming)
    else if (naming.kind === 'unlink') entries.delete(naming.path)
    else if (moved !== undefined) entries.set(naming.path, moved)
    if (naming.kind === 'rename') entries.delete(naming.from)
  }
  return entries
}

function changed(bytes: Buffer, writing: Writing): Buffer {
  if (writing.kind === 'truncate')
    return Buffer.concat([bytes, Buffer.alloc(writing.length)]).subarray(0, writing.length)
  const longer = Buffer.alloc(Math.max(bytes.length, writing.at + writing.bytes.length))
  bytes.copy(longer)
  writing.bytes.copy(longer, writing.at)
  return longer
}

/** Tells a disk from others. */
export function digestOf(disk: Disk): string {
  const hash = createHash('sha256')
  for (const [path, bytes] of disk) hash.update(`${path} ${bytes?.length ?? 'folder'} `).update(bytes ?? '')
  return hash.digest('hex')
}

/** Puts a disk in the place of what is there now. */
export function restore(disk: Disk, folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  for (const [path, bytes] of disk) {
    mkdirSync(bytes === undefined ? path : dirname(path), { recursive: true })
    if (bytes !== undefined) writeFileSync(path, bytes)
  }
}
