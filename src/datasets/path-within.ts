import { realpath } from 'node:fs/promises'
import { join, posix, relative, sep, win32 } from 'node:path'
import { dataError, fileError } from './data-error.ts'

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
