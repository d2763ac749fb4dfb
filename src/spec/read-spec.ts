import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ZerothError } from '../core/errors.ts'
import { type Locate, wholeSpec } from './place.ts'
import { checkPlainData, isObject, type JsonObject } from './plain-data.ts'
import { invalidSpec, openYaml } from './yaml-document.ts'

/** A spec that was read from a text, with what is needed to speak about it: `compileSpec(source.spec, source)`. */
export interface SpecSource {
  /** What the text says. Not checked yet, but plain data. */
  readonly spec: JsonObject
  /** Paths in the spec begin here. */
  readonly folder: string
  readonly locate: Locate
}

/** Where a text comes from. */
export interface TextOrigin {
  /** How errors call it. */
  readonly name?: string | undefined
  /** Paths in it begin here; the current folder if left out. */
  readonly folder?: string | undefined
}

/** Bytes of a spec at most. */
const largest = 1_000_000

/** Reads a spec from a file, YAML or JSON. */
export function readSpec(file: string): SpecSource {
  const bytes = readLimited(file)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalidSpec(`${file}: a spec must be UTF-8 text`)
  }
  return parseSpec(text, { name: file, folder: dirname(resolve(file)) })
}

/** Reads a spec from a text, YAML or JSON. */
export function parseSpec(text: string, { name = 'spec', folder = process.cwd() }: TextOrigin = {}): SpecSource {
  if (Buffer.byteLength(text) > largest) throw tooLarge(name)
  const { value, position } = openYaml(text, name)
  const locate: Locate = (path) => `${name}${position(path)}: `
  checkPlainData(value, wholeSpec(locate))
  if (isObject(value)) return { spec: value, folder, locate }
  const given = value === null ? 'nothing' : Array.isArray(value) ? 'a list' : `a ${typeof value}`
  throw invalidSpec(`${name}: a spec must be a map of keys and values, got ${given}`)
}

/** The bytes of a regular file: anything else may never end. */
function readLimited(file: string): Uint8Array {
  try {
    const info = statSync(file)
    if (!info.isFile()) throw invalidSpec(`${file}: a spec must be a file`)
    if (info.size > largest) throw tooLarge(file)
    return readFileSync(file)
  } catch (error) {
    if (error instanceof ZerothError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'there is no such file' : (code ?? message)
    throw invalidSpec(`${file}: cannot read the spec: ${reason}`)
  }
}

function tooLarge(name: string): ZerothError {
  return invalidSpec(`${name}: a spec has ${largest} bytes at most`)
}
