import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { formatted, readIfThere, root } from './places.mjs'
import { foundParts } from './registries.mjs'

const program = join(root, '.gen/part-files.mjs')

/**
 * What follows from the definitions of the parts, by path. These are TypeScript, so they are bundled and run, with the
 * registries as they should be instead of those on the disk.
 * @param {Map<string, string>} registries
 * @returns {Promise<Map<string, string>>}
 */
export async function filesFromParts(registries) {
  await build({
    absWorkingDir: root,
    entryPoints: ['scripts/generate/part-files.ts'],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    external: ['#onnxruntime'],
    plugins: [{ name: 'registries', setup: (building) => useRegistries(building, registries) }],
  })
  const { partFiles } = await import(pathToFileURL(program).href)
  const { parts, boxes } = foundParts()
  /** @type {Map<string, string>} */
  const files = partFiles([...parts, ...boxes], (/** @type {string} */ path) => readIfThere(path) ?? '')
  return new Map([...files].map(([path, text]) => [path, path.endsWith('.ts') ? formatted(text) : text]))
}

/**
 * @param {import('esbuild').PluginBuild} building
 * @param {Map<string, string>} registries
 */
function useRegistries(building, registries) {
  const texts = new Map([...registries].map(([path, contents]) => [join(root, path), contents]))
  building.onLoad({ filter: /(registry|parts)\.ts$/ }, ({ path }) => {
    const contents = texts.get(path)
    return contents === undefined ? undefined : { contents, loader: 'ts' }
  })
  // A registry that is not there yet.
  building.onResolve({ filter: /^\..*(registry|parts)\.ts$/ }, ({ path, resolveDir }) => {
    const file = join(resolveDir, path)
    return texts.has(file) ? { path: file } : undefined
  })
}
