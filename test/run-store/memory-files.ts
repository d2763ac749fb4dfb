import { basename, dirname } from 'node:path'
import type { StoreFiles } from '../../src/app/store/run-file.ts'

interface Stored {
  bytes: Uint8Array
}

/** A file system in memory: quick, and copied or damaged at will. */
export interface MemoryFiles extends StoreFiles {
  /** The same files in another file system. */
  copy(): MemoryFiles
  /** All bytes of a file. */
  content(path: string): Uint8Array
  put(path: string, bytes: Uint8Array): void
}

let systems = 0

export function memoryFiles(given: ReadonlyMap<string, Stored> = new Map()): MemoryFiles {
  const stored = new Map(given)
  const open: (Stored | undefined)[] = []
  const identity = String(++systems)

  const at = (path: string): Stored => stored.get(path) ?? fail('ENOENT')
  const opened = (file: number): Stored => open[file] ?? fail('EBADF')
  const write = (target: Stored, bytes: Uint8Array): void => {
    const longer = new Uint8Array(target.bytes.length + bytes.length)
    longer.set(target.bytes)
    longer.set(bytes, target.bytes.length)
    target.bytes = longer
  }

  return {
    open(path, flags) {
      if (flags === 'wx' && stored.has(path)) fail('EEXIST')
      if (flags !== 'r' && !stored.has(path)) stored.set(path, { bytes: new Uint8Array(0) })
      return open.push(at(path)) - 1
    },
    close(file) {
      opened(file)
      open[file] = undefined
    },
    read(file, bytes, offset, length, position) {
      const found = opened(file).bytes.subarray(position, position + length)
      bytes.set(found, offset)
      return found.length
    },
    write(file, bytes, offset, length) {
      write(opened(file), bytes.subarray(offset, offset + length))
      return length
    },
    size: (file) => opened(file).bytes.length,
    datasync: (file) => void opened(file),
    truncate(file, length) {
      const target = opened(file)
      target.bytes = target.bytes.slice(0, length)
    },
    rename(from, to) {
      stored.set(to, at(from))
      stored.delete(from)
    },
    link(from, to) {
      if (stored.has(to)) fail('EEXIST')
      stored.set(to, at(from))
    },
    unlink: (path) => void (stored.delete(path) || fail('ENOENT')),
    makeFolder: () => undefined,
    list: (path) => [...stored.keys()].filter((each) => dirname(each) === path).map((each) => basename(each)),
    syncFolder: () => undefined,
    identity: (path) => ({ inode: identity, path: `/${identity}/${path}` }),
    copy: () => memoryFiles(new Map([...stored].map(([path, { bytes }]) => [path, { bytes: bytes.slice() }]))),
    content: (path) => at(path).bytes,
    put: (path, bytes) => void stored.set(path, { bytes }),
  }
}

function fail(code: string): never {
  throw Object.assign(new Error(`${code}: in memory`), { code })
}
