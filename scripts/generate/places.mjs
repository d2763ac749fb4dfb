import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The text of a file of the repository, or undefined where there is none.
 * @param {string} path
 * @returns {string | undefined}
 */
export function readIfThere(path) {
  try {
    return readFileSync(isAbsolute(path) ? path : join(root, path), 'utf8')
  } catch {
    return undefined
  }
}
