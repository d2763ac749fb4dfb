import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'
import type { Account } from './seeded-runs.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Bundles a module and all it needs for browsers into `folder`, and returns what it imports from elsewhere. */
export async function bundleForBrowsers(source: string, name: string, folder: string): Promise<string[]> {
  const [bundle] = await build({
    config: false,
    cwd: root,
    entry: { [name]: source },
    outDir: folder,
    clean: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    deps: { alwaysBundle: [/./], onlyBundle: false },
    dts: false,
    logLevel: 'silent',
  })
  const chunks = (bundle?.chunks ?? []).filter((chunk) => chunk.type === 'chunk')
  const own = new Set(chunks.map((chunk) => chunk.fileName))
  return chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]).filter((each) => !own.has(each))
}

/** What the bundle of seeded-runs.ts in `folder` comes to in the given Node. */
export function accountOfNode(node: string, folder: string): Account & { readonly version: string } {
  const script = `
    import { seededRuns } from './seeded-runs.js'
    console.log(JSON.stringify({ version: process.version, ...(await seededRuns()) }))`
  const printed = execFileSync(node, ['--input-type=module', '--eval', script], { cwd: folder, encoding: 'utf8' })
  return JSON.parse(printed) as Account & { readonly version: string }
}
