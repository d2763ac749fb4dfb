import { ZerothError } from './errors.ts'

/** The packages that only some uses need, with the versions that zeroth was tested with. */
const optionalPackages = {
  'onnxruntime-node': '1.30.0',
  sharp: '0.35.5',
  bullmq: '6.7.0',
  ioredis: '6.0.0',
} as const

type Name = keyof typeof optionalPackages

/** What is probably needed beside a package, and how that is said. */
const companions: Readonly<Partial<Record<Name, { readonly name: Name; readonly words: string }>>> = {
  'onnxruntime-node': { name: 'sharp', words: ' and, for JPEG, sharp' },
  bullmq: { name: 'ioredis', words: ' and ioredis' },
}

/**
 * Loads a package that is not installed with zeroth: the one beside zeroth or, where there is none, the one that the
 * current folder has, so that `npx` finds it. Undefined where it is nowhere.
 */
export async function loadOptional<T>(name: Name, load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load()
  } catch (error) {
    if (!isMissing(error, name)) throw error
    const file = fileHere(name)
    return file === undefined ? undefined : ((await import(/* @vite-ignore */ file)) as T)
  }
}

/** Packages with the versions that zeroth was tested with, as npm takes them. */
export function testedPackages(...names: readonly Name[]): string {
  return names.map((name) => `${name}@${optionalPackages[name]}`).join(' ')
}

/** The error that says what to install: all that is missing, at once. */
export async function missingPackage(use: string, needed: Name): Promise<ZerothError> {
  const companion = companions[needed]
  const isThere = (name: Name): boolean => fileHere(name) !== undefined || isBeside(name)
  const missing = companion === undefined || isThere(companion.name) ? undefined : companion
  const also = missing?.words ?? ''
  const wanted = testedPackages(needed, ...(missing === undefined ? [] : [missing.name]))
  const message = `${use} needs ${needed}${also}: npm install zeroth ${wanted} --ignore-scripts`
  return new ZerothError('missing-package', message)
}

function isMissing(error: unknown, name: string): boolean {
  const { code, message = '' } = error as { code?: string; message?: string }
  // Bun calls a package by the name that the import gives it.
  const isOurs = message.includes(name) || (name === 'onnxruntime-node' && message.includes('#onnxruntime'))
  return ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(code ?? '') && isOurs
}

/** Where the current folder has the package, as a URL. */
function fileHere(name: string): string | undefined {
  return resolved(name, `${globalThis.process?.cwd?.()}/`)
}

function isBeside(name: string): boolean {
  return resolved(name, import.meta.url) !== undefined
}

/** Browsers have no modules of Node, and nothing to look for. */
function resolved(name: string, from: string): string | undefined {
  const node = globalThis.process?.getBuiltinModule?.('node:module')
  const url = globalThis.process?.getBuiltinModule?.('node:url')
  if (node === undefined || url === undefined) return undefined
  try {
    return url.pathToFileURL(node.createRequire(from).resolve(name)).href
  } catch {
    return undefined
  }
}
