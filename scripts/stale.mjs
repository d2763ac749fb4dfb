import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Whether a built file is missing, or older than a file it was built from: sources are files, or folders with all in them
 * but tests.
 * @param {string} built
 * @param {readonly string[]} sources
 */
export function isStale(built, sources) {
  if (!existsSync(join(root, built))) return true
  return Math.max(...sources.flatMap(filesIn).map(modified)) > modified(built)
}

/** @param {string} path */
function filesIn(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => join(path, file))
}

/** @param {string} path */
function modified(path) {
  return statSync(join(root, path)).mtimeMs
}
