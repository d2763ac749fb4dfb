import { readFile, stat } from 'node:fs/promises'
import { dataError, fileError } from './data-error.ts'

/** All bytes of an ordinary file that is not larger than `limit`. */
export async function readBytes(file: string, limit: number): Promise<Uint8Array> {
  const size = await sizeOfFile(file)
  if (size > limit) throw dataError(file, `has ${size} bytes, at most ${limit} are allowed`)
  try {
    return await readFile(file)
  } catch (error) {
    throw fileError(file, 'read', error)
  }
}

/** The size of an ordinary file: folders, pipes and devices are refused before anything waits for them. */
export async function sizeOfFile(file: string): Promise<number> {
  const found = await stat(file).catch((error: unknown) => {
    throw fileError(file, 'read', error)
  })
  if (found.isFile()) return found.size
  throw dataError(file, found.isDirectory() ? 'is a folder, not a file' : 'is not an ordinary file')
}

/** A file as UTF-8 text, without its byte order mark. */
export async function readText(file: string, limit: number): Promise<string> {
  const bytes = await readBytes(file, limit)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw dataError(file, 'is not UTF-8 text', error)
  }
}
