import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where a program is, or why there is none. */
export type Found = { readonly path: string } | { readonly missing: string }

/** A program that tests need: what people call it, the names it may have, and the package of Debian that has it. */
export interface Wanted {
  readonly called: string
  readonly names: readonly string[]
  readonly debian: string
}

/** Finds a program; where there is none and we may, installs Debian's. */
export function ensureProgram({ called, names, debian }: Wanted): Found {
  const installed = find(names)
  if (installed !== undefined) return { path: installed }
  const aptGet = find(['apt-get'])
  if (aptGet === undefined) return { missing: `there is no ${called}, and no apt-get to install it with` }
  if (process.getuid?.() !== 0) return { missing: `there is no ${called}, and only root can install it with apt-get` }
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    execFileSync(aptGet, ['update'], { env, stdio: 'pipe' })
    execFileSync(aptGet, ['install', '--yes', '--no-install-recommends', debian], { env, stdio: 'pipe' })
  } catch (error) {
    return { missing: `there is no ${called}, and apt-get could not install it: ${(error as Error).message}` }
  }
  const path = find(names)
  return path === undefined ? { missing: `apt-get installed ${called}, but it cannot be found` } : { path }
}

function find(programs: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return programs.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path))
}
