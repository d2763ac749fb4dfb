import { basename, dirname } from 'node:path'
import type { StoreFiles } from '../../src/app/store/run-file.ts'

/** A change of a file's content that has not been forced to the disk. */
type Change = { readonly at: number; readonly bytes: Uint8Array } | { readonly length: number }

/** A file, whatever it is called: as processes see it, and as the disk has it. */
interface Inode {
  bytes: Uint8Array
  durable: Uint8Array
  pending: Change[]
}

/** A change of names in a folder that has not been forced to the disk. */
interface Renaming {
  readonly folder: string
  apply(names: Map<string, Inode>): void
}

/** A file system in memory whose power can be cut. */
export interface PowerFiles extends StoreFiles {
  /** Calls so far that change something. */
  readonly changes: number
  readonly isOff: boolean
  /** What the disk holds afterwards: all that was forced to it, and any of the rest, torn and out of order. */
  survivors(random: () => number): Map<string, Uint8Array>
}

const cutError = (): never => {
  throw Object.assign(new Error('EIO: the power is off'), { code: 'EIO' })
}
const fail = (code: string): never => {
  throw Object.assign(new Error(`${code}: in memory`), { code })
}
let systems = 0

/** Begins with some files, all of them on the disk; the power is cut before the change number `cutAt`. */
export function powerFiles(given: ReadonlyMap<string, Uint8Array>, cutAt = Infinity): PowerFiles {
  const durableNames = new Map(
    [...given].map(([path, bytes]) => [path, { bytes, durable: bytes, pending: [] } as Inode]),
  )
  const names = new Map(durableNames)
  const open: Inode[] = []
  const identity = `power-${++systems}`
  let renamings: Renaming[] = []
  let changes = 0
  let isOff = false

  const at = (path: string): Inode => names.get(path) ?? fail('ENOENT')
  const opened = (file: number): Inode => open[file] ?? fail('EBADF')
  const change = (): void => {
    isOff ||= changes++ >= cutAt
    if (isOff) cutError()
  }
  const rename = (path: string, apply: Renaming['apply']): void => {
    apply(names)
    renamings.push({ folder: dirname(path), apply })
  }
  const edit = (file: Inode, made: Change): void => {
    file.bytes = changed(file.bytes, made)
    file.pending.push(made)
  }

  return {
    get changes() {
      return changes
    },
    get isOff() {
      return isOff
    },
    open(path, flags) {
      if (flags !== 'r') change()
      if (flags === 'wx' && names.has(path)) fail('EEXIST')
      if (flags !== 'r' && !names.has(path)) {
        const file: Inode = { bytes: new Uint8Array(0), durable: new Uint8Array(0), pending: [] }
        rename(path, (where) => void where.set(path, file))
      }
      return open.push(at(path)) - 1
    },
    close: () => undefined,
    read(file, bytes, offset, length, position) {
      const found = opened(file).bytes.subarray(position, position + length)
      bytes.set(found, offset)
      return found.length
    },
    write(file, bytes, offset, length) {
      change()
      const target = opened(file)
      edit(target, { at: target.bytes.length, bytes: bytes.slice(offset, offset + length) })
      return length
    },
    size: (file) => opened(file).bytes.length,
    datasync(file) {
      change()
      const target = opened(file)
      target.durable = target.bytes
      target.pending = []
    },
    truncate(file, length) {
      change()
      edit(opened(file), { length })
    },
    rename(from, to) {
      change()
      const file = at(from)
      rename(to, (where) => {
        where.set(to, file)
        if (where.get(from) === file) where.delete(from)
      })
    },
    link(from, to) {
      change()
      if (names.has(to)) fail('EEXIST')
      const file = at(from)
      rename(to, (where) => void where.set(to, file))
    },
    unlink(path) {
      change()
      at(path)
      rename(path, (where) => void where.delete(path))
    },
    makeFolder: () => undefined,
    list: (path) => [...names.keys()].filter((each) => dirname(each) === path).map((each) => basename(each)),
    syncFolder(path) {
      change()
      for (const { folder, apply } of renamings) if (folder === path) apply(durableNames)
      renamings = renamings.filter(({ folder }) => folder !== path)
    },
    identity: (path) => ({ inode: identity, path: `/${identity}/${path}` }),
    survivors(random) {
      const found = new Map(durableNames)
      for (const { apply } of some(renamings, random)) apply(found)
      const contents = new Map([...new Set(found.values())].map((file) => [file, surviving(file, random)]))
      return new Map([...found].map(([path, file]) => [path, contents.get(file) as Uint8Array]))
    },
  }
}

function changed(bytes: Uint8Array, made: Change): Uint8Array {
  if ('length' in made) return bytes.slice(0, made.length)
  const longer = new Uint8Array(Math.max(bytes.length, made.at + made.bytes.length))
  longer.set(bytes)
  longer.set(made.bytes, made.at)
  return longer
}

/** Of what was not forced to the disk nothing, all, the first part or anything is there; some writes are torn. */
function surviving({ durable, pending }: Inode, random: () => number): Uint8Array {
  let bytes = durable
  for (const made of some(pending, random)) {
    const isTorn = 'at' in made && random() < 0.3
    const length = isTorn ? Math.floor(random() * made.bytes.length) : 0
    bytes = changed(bytes, isTorn ? { at: made.at, bytes: made.bytes.subarray(0, length) } : made)
  }
  return bytes
}

function some<T>(all: readonly T[], random: () => number): readonly T[] {
  const kind = Math.floor(random() * 4)
  if (kind === 0) return []
  if (kind === 1) return all
  if (kind === 2) return all.slice(0, Math.floor(random() * (all.length + 1)))
  return all.filter(() => random() < 0.5)
}
