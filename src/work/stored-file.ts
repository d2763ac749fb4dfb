import { readdirSync, readFileSync } from 'node:fs'
import { ZerothError } from '../index.ts'
import { lockFolder, writeWholeFile } from '../trace/index.ts'

/** The version of the files that say what a work is. */
const version = 2

/** Writes what a work is, so that there is always a whole file. */
export function writeStored(file: string, format: string, content: object): void {
  writeWholeFile(file, `${JSON.stringify({ format, version, ...content }, null, 2)}\n`)
}

/**
 * Reads what `writeStored` wrote; a file that is none of that format, or of a later version, is refused. `migrate` brings
 * what version 1 says to version 2.
 */
export function readStored(
  file: string,
  format: string,
  migrate: (old: Record<string, unknown>) => Record<string, unknown>,
): Record<string, unknown> {
  let read: unknown
  try {
    read = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw cause instanceof SyntaxError ? damaged(file, 'it is no JSON', cause) : cause
  }
  if (!isObject(read) || read.format !== format) throw damaged(file, `its format is not "${format}"`)
  const { format: _, version: found, ...content } = read
  if (found === 1) return migrate(content)
  if (found !== version) throw damaged(file, `its version is ${String(found)}, this zeroth reads up to ${version}`)
  return content
}

/** The error of a file that does not hold what it should. */
export function damaged(file: string, why: string, cause?: unknown): ZerothError {
  return new ZerothError('invalid-run', `${file} is damaged: ${why}`, { cause })
}

/** Whether a value is an object with keys. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A folder with other things in it cannot become a work. */
export function refuseOccupied(folder: string): void {
  const found = readdirSync(folder).find((name) => !/^lock(\.|$)|\.tmp$/.test(name))
  if (found === undefined) return
  throw new ZerothError('invalid-option', `${folder} is not empty (${found}): choose another folder`)
}

/** Does something in a folder while no other process can. */
export function whileLocked<T>(folder: string, act: () => T): T {
  const lock = lockFolder(folder)
  try {
    return act()
  } finally {
    lock.release()
  }
}
