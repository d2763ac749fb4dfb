import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build as bundle } from 'esbuild'
import { build as buildWithVite } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { timeout } from './packed.ts'
import { accountBy, accountByWorkerd, projectIn, runtime } from './runtimes.ts'

let folder: string
let here: Record<string, unknown>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zeroth-runtimes-'))
  await projectIn(folder)
  here = accountBy(process.execPath, ['main.mjs'], folder)
}, timeout)
afterAll(() => rm(folder, { recursive: true, force: true }))

test('every run of the account found something', () => {
  expect(Object.keys(here)).toEqual(['auto', 'bounded', 'noisy', 'named', 'short', 'asked'])
  const runs = here as Record<string, [reason: string, queries: number, value: number, ...point: number[]]>
  for (const [, queries] of Object.values(runs)) expect(queries).toBeGreaterThan(100)
  expect(runs.auto?.[2]).toBeLessThan(1e-9)
  expect(runs.auto?.slice(3)).toHaveLength(6)
})

test('require gives the same bits as import', () => {
  expect(accountBy(process.execPath, ['main.cjs'], folder)).toEqual(here)
})

test('Bun gives the same bits', { timeout }, async () => {
  expect(accountBy(await runtime('bun', '1.4.4', folder), ['main.mjs'], folder)).toEqual(here)
})

test('Deno gives the same bits', { timeout }, async () => {
  const flags = ['run', '--no-prompt', '--allow-read', '--node-modules-dir=manual']
  expect(accountBy(await runtime('deno', '2.9.6', folder), [...flags, 'main.mjs'], folder)).toEqual(here)
})

test('workerd, which has no WebAssembly from bytes, gives the same bits', { timeout }, async () => {
  expect(await accountByWorkerd(await runtime('workerd', '1.20261117.1', folder), folder)).toEqual(here)
})

test('a bundle of esbuild for Node gives the same bits', async () => {
  const outfile = join(folder, 'by-esbuild.mjs')
  const plain = { bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' } as const
  const { warnings } = await bundle({ ...plain, absWorkingDir: folder, entryPoints: ['main.mjs'], outfile })
  expect(warnings).toEqual([])
  expect(accountBy(process.execPath, [outfile], folder)).toEqual(here)
})

test('a bundle of Vite gives the same bits', async () => {
  const output = { entryFileNames: 'main.js', format: 'es' } as const
  const build = {
    outDir: join(folder, 'by-vite'),
    modulePreload: false,
    rolldownOptions: { input: 'main.mjs', output },
  }
  await buildWithVite({ root: folder, configFile: false, logLevel: 'silent', build: { ...build, target: 'es2022' } })
  expect(accountBy(process.execPath, ['by-vite/main.js'], folder)).toEqual(here)
})
