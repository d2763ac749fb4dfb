import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A package whose code is part of a bundle. */
interface Bundled {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly text: string
}

interface Chunk {
  readonly type: string
  readonly modules?: Readonly<Record<string, unknown>>
}

/**
 * A plug-in for the bundler that writes down which packages a bundle holds, and the terms of each; `others` are those that
 * another bundle holds.
 */
export function writeLicences(file: string, others: readonly string[]) {
  return {
    name: 'licences',
    generateBundle(_: unknown, bundle: Readonly<Record<string, Chunk>>): void {
      const paths = Object.values(bundle).flatMap((chunk) => Object.keys(chunk.modules ?? {}))
      const here = fileURLToPath(new URL('../node_modules', import.meta.url))
      const all = [...paths.flatMap((path) => packageFolder(path) ?? []), ...others.map((name) => join(here, name))]
      const folders = [...new Set(all)].sort()
      writeFileSync(file, licencesText(folders.map(describe)))
    },
  }
}

/** The folder of the package that a file belongs to. */
function packageFolder(path: string): string | undefined {
  return /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path.replaceAll('\\', '/').replace(/^\0/, ''))?.[1]
}

function describe(folder: string): Bundled {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Bundled
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each) && existsSync(join(folder, each)))
  const text = file === undefined ? `(${license})` : readFileSync(join(folder, file), 'utf8').trim()
  return { name, version, license, text }
}

function licencesText(bundled: readonly Bundled[]): string {
  const parts = bundled.map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}\n`)
  const head = 'zeroth holds code of the packages below, in dist/app/report and dist/app/ui. These are their terms.\n'
  return [head, ...parts].join(`\n${'-'.repeat(80)}\n\n`)
}
