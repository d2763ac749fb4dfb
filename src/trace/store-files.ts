import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

/** The calls with which a run reaches the file system, so that tests can let any of them fail. */
export interface StoreFiles {
  open(path: string, flags: 'r' | 'a+' | 'w' | 'wx'): number
  close(file: number): void
  /** Reads into `bytes` and says how many there were; 0 at the end of the file. */
  read(file: number, bytes: Uint8Array, offset: number, length: number, position: number): number
  /** Writes at the end of the file and says how many bytes it took, which may be fewer than given. */
  write(file: number, bytes: Uint8Array, offset: number, length: number): number
  size(file: number): number
  datasync(file: number): void
  truncate(file: number, length: number): void
  rename(from: string, to: string): void
  link(from: string, to: string): void
  unlink(path: string): void
  makeFolder(path: string): void
  list(path: string): string[]
  /** Makes renames and new files in a folder survive a power cut. */
  syncFolder(path: string): void
  /** The slow ones of these calls beside the loop; without them all is done at once. */
  readonly later?: LaterFiles | undefined
  /** What tells a folder from its copies: these have neither its number nor its path. */
  identity(path: string): { readonly inode: string; readonly path: string }
}

/** Calls that may take long, made by another thread while the run goes on. */
export interface LaterFiles {
  write(file: number, bytes: Uint8Array, offset: number, length: number): Promise<number>
  datasync(file: number): Promise<void>
  rename(from: string, to: string): Promise<void>
  syncFolder(path: string): Promise<void>
}

const write = promisify(fs.write)

/** The file system of Node. A record is appended at once: that costs a microsecond, a promise would cost more. */
export const nodeFiles: StoreFiles = {
  open: fs.openSync,
  close: fs.closeSync,
  read: fs.readSync,
  write: (file, bytes, offset, length) => fs.writeSync(file, bytes, offset, length),
  size: (file) => fs.fstatSync(file).size,
  datasync: fs.fdatasyncSync,
  truncate: fs.ftruncateSync,
  rename: fs.renameSync,
  link: fs.linkSync,
  unlink: fs.unlinkSync,
  makeFolder: (path) => {
    const first = fs.mkdirSync(path, { recursive: true })
    if (first !== undefined) nodeFiles.syncFolder(dirname(first))
  },
  list: (path) => fs.readdirSync(path),
  syncFolder,
  later: {
    write: async (file, bytes, offset, length) => (await write(file, bytes, offset, length, null)).bytesWritten,
    datasync: promisify(fs.fdatasync),
    rename: fs.promises.rename,
    syncFolder: syncFolderLater,
  },
  identity: (path) => ({ inode: String(fs.statSync(path, { bigint: true }).ino), path: fs.realpathSync(path) }),
}

function syncFolder(path: string): void {
  // Windows cannot open folders; its renames are in the journal of the file system anyway.
  if (process.platform === 'win32') return
  const folder = fs.openSync(path, 'r')
  try {
    fs.fsyncSync(folder)
  } finally {
    fs.closeSync(folder)
  }
}

async function syncFolderLater(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await fs.promises.open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
