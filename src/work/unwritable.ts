import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ZerothError } from '../index.ts'

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
