import { readFile, realpath, stat } from 'node:fs/promises'
import { join, posix, relative, sep, win32 } from 'node:path'
import type { ZerothError } from '../../optimizer/core/errors.ts'
import { dataError, shortReason } from './data-error.ts'

/** Why a file could not be read or written, with what the system calls it. */
export function fileError(file: string, action: 'read' | 'written', error: unknown): ZerothError {
  const code = (error as NodeJS.ErrnoException | null)?.code
  const reason = { ENOENT: 'there is no such file or folder', EISDIR: 'it is a folder', EACCES: 'permission denied' }
  const known = Object.hasOwn(reason, code ?? '') ? reason[code as keyof typeof reason] : shortReason(error)
  return dataError(file, `cannot be ${action} (${known})`, error)
}

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

/** The real path of a file below a folder (itself a real path); whatever leads out of it is refused, links included. */
export async function pathWithin(folder: string, path: string, where: string): Promise<string> {
  const shown = JSON.stringify(path)
  if (!looksInside(path)) throw dataError(where, `must be a path inside ${folder} without "..", got ${shown}`)
  const found = await realpath(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw dataError(where, `there is no file ${shown} in ${folder}`, error)
    throw fileError(`${where}: ${shown}`, 'read', error)
  })
  const way = relative(folder, found)
  if (way === '' || way === '..' || way.startsWith(`..${sep}`) || posix.isAbsolute(way) || win32.isAbsolute(way)) {
    throw dataError(where, `must be a file inside ${folder}, but ${shown} is a link that leads out of it`)
  }
  return found
}

function looksInside(path: string): boolean {
  if (path === '' || path.includes('\0') || posix.isAbsolute(path) || win32.isAbsolute(path)) return false
  return !path.split(/[/\\]/).includes('..')
}
