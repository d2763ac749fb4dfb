import { once } from 'node:events'
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { output } from './output.ts'

/** Writes data to stdout, no faster than it is read there; ends early where nothing reads it any more. */
export async function writeToOutput(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  // Node takes its own stdout for open again after an error: only the event tells.
  let isGone = false
  const leave = (): void => {
    isGone = true
  }
  output.once('error', leave)
  try {
    for await (const piece of pieces) {
      // What happened to the last piece is told in a later turn.
      await (output.write(piece) ? nextTurn() : drained())
      if (isGone) return
    }
  } finally {
    output.off('error', leave)
  }
}

async function drained(): Promise<void> {
  const waiting = new AbortController()
  const events = ['drain', 'close', 'error'].map((event) => once(output, event, waiting).catch(() => undefined))
  await Promise.race(events).finally(() => waiting.abort())
}

/** Writes data to a file that is there only once it is complete; a device or a pipe takes it as it comes. */
export async function writeToFile(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && !found.isFile()) return writeAll(await open(path, 'w'), pieces)
  const target = found === undefined ? path : await realpath(path)
  const temporary = `${target}.${process.pid}.tmp`
  try {
    await writeAll(await open(temporary, 'w'), pieces, true)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function writeAll(file: FileHandle, pieces: AsyncIterable<Uint8Array>, lasting = false): Promise<void> {
  try {
    for await (const piece of pieces) await file.writeFile(piece)
    if (lasting) await file.datasync()
  } finally {
    await file.close()
  }
}
