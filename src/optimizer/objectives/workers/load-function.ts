import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { messageOf, show, ZerothError } from '../../core/errors.ts'
import {
  count,
  flag,
  json,
  noted,
  optional,
  refine,
  type ShapeOf,
  type Table,
  table,
  text,
  union,
  withDefault,
} from '../../core/options.ts'
import { variablesOption } from '../../core/variables.ts'
import { urlObject } from '../../remote/url.ts'

const filled = refine(text, (value) => value !== '', 'must not be empty')

const declared = table({
  /** Number of variables. */
  dim: count,
  /** The variables by name; those of the spec if left out there: the function is called with an object of them. */
  variables: optional(variablesOption),
  /** The JavaScript module: a path from the current folder (in a spec, from its own), or a file: or data: URL. */
  module: union(noted(filled, { path: true }), urlObject),
  /** The name of the exported function. Default 'default'. */
  export: withDefault(filled, 'default'),
  /** The function takes a list of points and returns a list of numbers. Default false. */
  batched: withDefault(flag, false),
  /** Given to the function setup, if the module exports one, before the first query. */
  data: optional(json),
})

export type ModuleShape = ShapeOf<typeof declared>

/** What says which function of which module is meant, here and in threads. */
export const moduleOptions: Table<ModuleShape> = declared

/** Which function of which module, and what the module is set up with. */
export interface ModuleSource {
  /** A `file:` or `data:` URL. */
  readonly url: string
  readonly export: string
  /** Given to the module's `setup`, where it exports one. */
  readonly data: unknown
}

/** The URL of a module given as a path from the current folder, or as a URL already. */
export function moduleUrl(module: string): string {
  return /^(file|data):/.test(module) ? module : pathToFileURL(resolve(module)).href
}

/** Imports a module, sets it up and returns the chosen function. What is missing is said by name. */
export async function loadFunction(source: ModuleSource): Promise<(...given: never[]) => unknown> {
  const exported = await importModule(source.url)
  const chosen = exported[source.export]
  if (typeof chosen !== 'function') {
    const { url, export: name } = source
    const called = name === 'default' ? 'default export' : `export ${name}`
    const names = Object.keys(exported).join(', ') || 'nothing'
    if (!(name in exported)) throw invalid(`${shownModule(url)} has no ${called} (exports: ${names})`)
    throw invalid(`the ${called} of ${shownModule(url)} must be a function, got ${show(chosen)} (exports: ${names})`)
  }
  const { setup } = exported
  if (source.export !== 'setup' && typeof setup === 'function') await setUp(setup as (data: unknown) => unknown, source)
  return chosen as (...given: never[]) => unknown
}

async function importModule(url: string): Promise<Record<string, unknown>> {
  if (url.startsWith('file:') && !existsSync(fileURLToPath(url))) {
    throw invalid(`there is no module ${shownModule(url)}`)
  }
  try {
    return (await import(/* @vite-ignore */ url)) as Record<string, unknown>
  } catch (error) {
    throw invalid(`${shownModule(url)} cannot be loaded: ${whyNot(error, url)}`, error)
  }
}

async function setUp(setup: (data: unknown) => unknown, { url, data }: ModuleSource): Promise<void> {
  try {
    await setup(data)
  } catch (error) {
    throw invalid(`setup of ${shownModule(url)} failed: ${messageOf(error)}`, error)
  }
}

function whyNot(error: unknown, url: string): string {
  const unknownExtension = (error as { code?: unknown } | null)?.code === 'ERR_UNKNOWN_FILE_EXTENSION'
  if (!unknownExtension || !/\.[cm]?tsx?$/.test(url)) return messageOf(error)
  return `Node ${process.versions.node} does not load TypeScript; give the compiled .js file, or use Node 22.18 or later`
}

/** A module as it should read in messages: the path of a file, the beginning of anything else. */
export function shownModule(url: string): string {
  return url.startsWith('file:') ? fileURLToPath(url) : show(url)
}

/** No other try can help: the module stays as it is. */
function invalid(message: string, cause?: unknown): ZerothError {
  return new ZerothError('invalid-objective', message, { cause, retryable: false })
}
