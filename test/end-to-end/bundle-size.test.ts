import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build as buildWithEsbuild } from 'esbuild'
import { build as buildWithVite } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { minimize, zoAdaMM } from '../../src/index.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/**
 * Zipped bytes. The aim is 25,000; the sentences of the options, which help and docs need, are 1,000 of them, and the
 * kernels that keep probes in a box 1,300.
 */
const limit = 29_600
const run = promisify(execFile)

let folder: string
let entry: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zeroth-bundle-'))
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules/zeroth'), 'dir')
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  entry = join(folder, 'entry.js')
  await writeFile(entry, `export { minimize } from 'zeroth'\n`)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const bundlers = {
  async esbuild(outDir: string): Promise<void> {
    await buildWithEsbuild({
      absWorkingDir: folder,
      entryPoints: [entry],
      outfile: join(outDir, 'bundle.js'),
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      logLevel: 'silent',
    })
  },
  async vite(outDir: string): Promise<void> {
    await buildWithVite({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      build: {
        outDir,
        minify: true,
        // As an application would be built: for a library vite leaves the spaces in.
        rolldownOptions: {
          input: entry,
          preserveEntrySignatures: 'strict',
          output: { entryFileNames: 'bundle.js', format: 'es', minify: true },
        },
      },
    })
  },
}

test.each(Object.entries(bundlers))(
  `minimize takes at most ${limit} bytes, zipped, in a bundle of %s, and runs`,
  async (name, build) => {
    const outDir = join(folder, name)
    await build(outDir)
    const bundle = await readFile(join(outDir, 'bundle.js'))
    expect(gzipSync(bundle, { level: 9 }).length).toBeLessThanOrEqual(limit)
    const script = `
    import { minimize } from './bundle.js'
    const { value, queries } = await minimize(([x, y]) => x * x + y * y, [1, 1], { seed: 1, maxQueries: 500 })
    console.log(JSON.stringify({ value, queries }))`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: outDir })
    // The default solver is ZO-AdaMM: the same run with the package itself, to the last bit.
    const square = (point: ArrayLike<number>): number =>
      (point[0] ?? 0) * (point[0] ?? 0) + (point[1] ?? 0) * (point[1] ?? 0)
    const { value, queries } = await minimize(square, [1, 1], { seed: 1, maxQueries: 500, solver: zoAdaMM() })
    expect(JSON.parse(stdout)).toEqual({ value, queries })
  },
)

test('no other package is in the bundle', async () => {
  const { metafile } = await buildWithEsbuild({
    absWorkingDir: folder,
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    logLevel: 'silent',
  })
  const [output] = Object.values(metafile.outputs)
  const used = Object.keys(output?.inputs ?? {}).filter((path) => (output?.inputs[path]?.bytesInOutput ?? 0) > 0)
  expect(used.length).toBeGreaterThan(20)
  expect(used.filter((path) => path.includes('node_modules/'))).toEqual([])
})
