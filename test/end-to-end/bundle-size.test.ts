import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build as buildWithEsbuild } from 'esbuild'
import { build as buildWithVite } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { minimize, zoAdaMM } from '../../src/index.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

const square = ([x = 0, y = 0]: Iterable<number>): number => x * x + y * y
const options = { seed: 1, maxQueries: 500 }

/** What each program may take, zipped, and the run that it must print, by the package itself. */
const programs = [
  {
    name: 'minimize',
    limit: 44_500,
    source: `
      import { minimize } from 'zeroth'
      const { value, queries } = await minimize(([x, y]) => x * x + y * y, [1, 1], { seed: 1, maxQueries: 500 })
      console.log(JSON.stringify({ value, queries }))`,
    expected: () => minimize(square, [1, 1], options),
  },
  {
    name: 'createSession with zoAdaMM',
    limit: 25_500,
    source: `
      import { createSession, zoAdaMM } from 'zeroth'
      const session = createSession([1, 1], { seed: 1, maxQueries: 500, solver: zoAdaMM() })
      const point = new Float64Array(2)
      while (session.outcome === undefined) {
        const queries = session.ask()
        const values = Array.from({ length: queries.rows }, (_, row) => {
          queries.write(row, point)
          return point[0] * point[0] + point[1] * point[1]
        })
        session.tell(values)
      }
      const { value, queries } = session.outcome
      console.log(JSON.stringify({ value, queries }))`,
    expected: () => minimize(square, [1, 1], { ...options, solver: zoAdaMM() }),
  },
]

const bundlers = {
  async esbuild(entry: string, outDir: string): Promise<void> {
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
  async vite(entry: string, outDir: string): Promise<void> {
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
          output: { entryFileNames: 'bundle.js', format: 'es', minify: true },
        },
      },
    })
  },
}

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zeroth-bundle-'))
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules/zeroth'), 'dir')
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

describe.each(programs)('a program with $name', ({ name, limit, source, expected }) => {
  const entry = () => join(folder, `${name}.js`)
  beforeAll(() => writeFile(entry(), source))

  test.each(Object.entries(bundlers))(
    `takes at most ${limit} bytes, zipped, in a bundle of %s, and gives the same bits`,
    async (bundler, build) => {
      const outDir = join(folder, `${name} by ${bundler}`)
      await build(entry(), outDir)
      const bundle = await readFile(join(outDir, 'bundle.js'))
      expect(gzipSync(bundle, { level: 9 }).length).toBeLessThanOrEqual(limit)
      const { stdout } = await run(process.execPath, [join(outDir, 'bundle.js')])
      const { value, queries } = await expected()
      expect(JSON.parse(stdout)).toEqual({ value, queries })
    },
  )

  test('has no other package in its bundle', async () => {
    const { metafile } = await buildWithEsbuild({
      absWorkingDir: folder,
      entryPoints: [entry()],
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
})
