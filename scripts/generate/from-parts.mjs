import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { commented, readComments } from './comments.mjs'
import { readIfThere, root } from './places.mjs'

const program = join(root, '.gen/part-files.mjs')

/**
 * The schemas and pages that follow from the parts and their options, by path. These are TypeScript, so they are bundled and run.
 * @returns {Promise<Map<string, string>>}
 */
export async function filesFromParts() {
  await build({
    absWorkingDir: root,
    entryPoints: ['scripts/generate/part-files.ts'],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    external: ['#*'],
    banner: { js: commented },
    plugins: [readComments],
  })
  const { partFiles } = await import(pathToFileURL(program).href)
  return partFiles((/** @type {string} */ path) => readIfThere(path) ?? '')
}
