import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isAbsolute, join } from 'node:path'
import process from 'node:process'
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

/**
 * TypeScript as the formatter of the repository writes it.
 * @param {string} text
 */
export function formatted(text) {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome')
  const command = [biome, 'check', '--write', '--stdin-file-path=src/parts.ts']
  return execFileSync(process.execPath, command, { cwd: root, input: text, encoding: 'utf8' })
}
