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

/** What each program may take at the beginning, zipped, and the run that it must print, by the package itself. */
const programs = [
  {
    name: 'minimize',
    // vite puts what few runs load into files of their own; esbuild, unless it is told to split, leaves all in one.
    limits: { esbuild: 67_600, vite: 38_700 },
    source: `
      import { minimize } from 'zeroth'
      const { value, queries } = await minimize(([x, y]) => x * x + y * y, [1, 1], { seed: 1, maxQueries: 500 })
      console.log(JSON.stringify({ value, queries }))`,
    expected: () => minimize(square, [1, 1], options),
  },
  {
    name: 'minimize where it loads more',
    limits: { esbuild: 67_600, vite: 38_700 },
    source: `
      import { minimize } from 'zeroth'
      const variables = { x: { from: -2, to: 3 }, y: { from: -2, to: 3 } }
      const { value, queries } = await minimize(({ x, y }) => x * x + y * y, { variables, seed: 1, maxQueries: 9 })
      console.log(JSON.stringify({ value, queries }))`,
    expected: () => {
      const range = { from: -2, to: 3 }
      const variables = { x: range, y: range }
      return minimize(({ x, y }) => square([x, y]), { variables, seed: 1, maxQueries: 9 })
    },
  },
  {
    name: 'minimize where answers vary',
    limits: { esbuild: 67_600, vite: 38_700 },
    source: `
      import { minimize } from 'zeroth'
      let asked = 0
      const f = ([x, y]) => x * x + y * y + (asked++ % 3) / 1000
      const { value, queries } = await minimize(f, [1, 1], { seed: 1, maxQueries: 500 })
      console.log(JSON.stringify({ value, queries }))`,
    expected: () => {
      let asked = 0
      return minimize((x) => square(x) + (asked++ % 3) / 1000, [1, 1], options)
    },
  },
  {
    name: 'createSession with zoAdaMM',
    limits: { esbuild: 24_700, vite: 24_200 },
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

/** Bundles a program as `bundle.js`, and gives the code that it loads before it begins, file by file. */
const bundlers = {
  async esbuild(entry: string, outDir: string): Promise<string[]> {
    const outfile = join(outDir, 'bundle.js')
    await buildWithEsbuild({
      absWorkingDir: folder,
      entryPoints: [entry],
      outfile,
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      logLevel: 'silent',
    })
    return [await readFile(outfile, 'utf8')]
  },
  async vite(entry: string, outDir: string): Promise<string[]> {
    const built = await buildWithVite({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      build: {
        outDir,
        minify: true,
        modulePreload: false,
        // As an application would be built: for a library vite leaves the spaces in.
        rolldownOptions: {
          input: entry,
          output: { entryFileNames: 'bundle.js', format: 'es', minify: true },
        },
      },
    })
    const { output } = built as Exclude<typeof built, readonly unknown[] | { close(): unknown }>
    const chunks = new Map(output.flatMap((each) => (each.type === 'chunk' ? [[each.fileName, each]] : [])))
    const loaded = new Set(['bundle.js'])
    for (const name of loaded) for (const each of chunks.get(name)?.imports ?? []) loaded.add(each)
    return [...loaded].map((name) => chunks.get(name)?.code ?? '')
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

describe.each(programs)('a program with $name', ({ name, limits, source, expected }) => {
  const entry = () => join(folder, `${name}.js`)
  beforeAll(() => writeFile(entry(), source))

  test.each(['esbuild', 'vite'] as const)(
    `begins with at most ${JSON.stringify(limits)} bytes, zipped, in a bundle of %s, and gives the same bits`,
    async (bundler) => {
      const outDir = join(folder, `${name} by ${bundler}`)
      const loaded = await bundlers[bundler](entry(), outDir)
      const size = loaded.reduce((sum, code) => sum + gzipSync(code, { level: 9 }).length, 0)
      expect(size).toBeLessThanOrEqual(limits[bundler])
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
