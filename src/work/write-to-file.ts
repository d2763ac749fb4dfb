import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { unwritable } from './unwritable.ts'

type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/**
 * Writes data to a file that is there only once it is complete; a device or a pipe takes it as it comes. Until then it has a
 * name beside that of the file, or the given one in the same folder.
 */
export async function writeToFile(path: string, pieces: Pieces, unfinished?: string): Promise<void> {
  const opened = (file: string): Promise<FileHandle> =>
    open(file, 'w').catch((error: unknown) => {
      throw unwritable(path, error)
    })
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && !found.isFile()) return writeAll(await opened(path), pieces)
  const target = found === undefined ? path : await realpath(path)
  const temporary = unfinished === undefined ? `${target}.${process.pid}.tmp` : join(dirname(target), unfinished)
  const file = await opened(temporary)
  try {
    await writeAll(file, pieces, true)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
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
