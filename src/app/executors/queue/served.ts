import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filledText, type Json, table, union } from '../../../optimizer/core/options.ts'
import { zerothVersion } from '../../provenance/machine.ts'

/** What workers evaluate: the same on both sides, or no job is handed out. */
export interface Served {
  /** `exec`, `module`, `http`, the name of a test problem, or `named` where people have named it. */
  readonly kind: string
  /** In words. */
  readonly what: string
  /** Of all that decides about values: the same hash, the same values. */
  readonly hash: string
}

/** What is evaluated: a name that workers and runs agree on, or a description of an objective. */
export const servesOption = union(filledText, table({ kind: filledText, what: filledText, hash: filledText }))

/** Options that decide how an objective is asked, not what it answers; they may differ between machines. */
const manners = [
  ...['cwd', 'timeout', 'setupTimeout', 'processes', 'workers', 'threads', 'concurrency', 'batchSize'],
  ...['maxLineBytes', 'maxReplyBytes'],
]

/** Longest text that describes what is served. */
const longest = 100

/**
 * What an objective answers, from the way a spec writes it. Programs and modules count by their content, not by where they
 * are: words of a command that name a file are replaced by the hash of that file.
 */
export function servedBy(written: { readonly [key: string]: Json | undefined }): Served {
  const { name, ...options } = written
  // The same function gives the same values, whichever thread calls it.
  const kind = name === 'workers' ? 'module' : String(name)
  const entries = Object.entries(options).filter(([key]) => !manners.includes(key))
  const content = entries.map(([key, value]) => [key, contentOf(key, value as Json, options.cwd)])
  return servedContent(kind, `${kind} ${wordsOf(kind, options)}`.trim(), content)
}

/** What is served where people have given it a name. */
export function servedAs(name: string): Served {
  return { kind: 'named', what: shortened(name), hash: hashOf(['named', name]) }
}

/** What is served where its content has been gathered: a kind, words for people, and all that decides about results. */
export function servedContent(kind: string, what: string, content: Json): Served {
  return { kind, what: shortened(what), hash: hashOf([kind, content]) }
}

/** The queue that only workers with the same content and the same version listen to. */
export function contentKey({ hash }: Served): string {
  return hashOf([hash, zerothVersion()])
}

function contentOf(key: string, value: Json, cwd: Json | undefined): Json {
  const folder = typeof cwd === 'string' ? cwd : process.cwd()
  if (key === 'command' && Array.isArray(value))
    return value.map((word, i) => wordContent(String(word), folder, i === 0))
  if (key === 'module' && typeof value === 'string') return fileContent(value, folder) ?? value
  return value
}

/** A word of a command: a program that is found by its name stays a name, files count by what is in them. */
function wordContent(word: string, folder: string, isProgram: boolean): string {
  if (isProgram && !/[\\/]/.test(word)) return word
  return fileContent(word, folder) ?? word
}

/** The hash of a file; undefined where there is none. */
export function fileContent(path: string, folder: string): string | undefined {
  if (path.startsWith('data:')) return path
  try {
    const file = path.startsWith('file:') ? fileURLToPath(path) : resolve(folder, path)
    return statSync(file).isFile()
      ? `sha256:${createHash('sha256').update(readFileSync(file)).digest('hex')}`
      : undefined
  } catch {
    return undefined
  }
}

function wordsOf(kind: string, { command, module, url }: { readonly [key: string]: Json | undefined }): string {
  if (Array.isArray(command))
    return command.map((word, i) => (i === 0 ? basename(String(word)) : String(word))).join(' ')
  if (typeof module === 'string') return module.startsWith('data:') ? 'data:...' : basename(module)
  return kind === 'http' && typeof url === 'string' ? url : ''
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > longest ? `${line.slice(0, longest - 3)}...` : line
}

/** The beginning of a SHA-256 over plain data whose order of keys does not count. */
export function hashOf(data: Json): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(data)))
    .digest('hex')
    .slice(0, 16)
}

function sorted(data: Json): Json {
  if (Array.isArray(data)) return data.map(sorted)
  if (typeof data !== 'object' || data === null) return data
  const entries = Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, value]) => [key, sorted(value)]))
}
