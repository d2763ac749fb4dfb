import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRun } from '../../jobs/index.ts'
import { fileWithin, JobScanner } from './scanner.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-scan-'))
const root = join(folder, 'works')
const spec = { objective: 'rosenbrock', dim: 2, maxQueries: 30 }

beforeAll(async () => {
  mkdirSync(root)
  for await (const _ of (await openRun(join(root, 'Straße & Söhne <b>'), spec)).perform());
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('ids are short, plain, stable, and different for folders of the same letters', () => {
  const scanner = new JobScanner(root)
  const names = ['a b', 'a-b', 'A b', '../../etc', '<script>', '日本語', 'x'.repeat(200)]
  const ids = names.map((name) => scanner.idOf(join(root, name)))
  for (const id of ids) expect(id).toMatch(/^[a-z0-9-]{1,64}$/)
  expect(new Set(ids).size).toBe(names.length)
  expect(new JobScanner(root).idOf(join(root, 'a b'))).toBe(ids[0])
})

test('a scan tells what is new, what has changed and what is gone, and nothing twice', async () => {
  const scanner = new JobScanner(root)
  const [first, ...others] = await scanner.scan()
  expect(others).toEqual([])
  expect(first).toMatchObject({ type: 'job', job: { name: 'Straße & Söhne <b>', state: 'finished' } })
  expect(await scanner.scan()).toEqual([])
  const damaged = join(root, 'damaged')
  mkdirSync(damaged)
  writeFileSync(join(damaged, 'meta.json'), '{')
  expect(await scanner.scan()).toMatchObject([{ type: 'job', job: { name: 'damaged', state: 'damaged' } }])
  renameSync(damaged, join(folder, 'elsewhere'))
  expect(await scanner.scan()).toEqual([{ type: 'gone', id: scanner.idOf(damaged) }])
  symlinkSync(join(folder, 'elsewhere'), join(root, 'link'))
  expect(await scanner.scan()).toEqual([])
})

test('a folder that is a work is the only one', async () => {
  const scanner = new JobScanner(join(root, 'Straße & Söhne <b>'))
  expect(await scanner.scan()).toHaveLength(1)
})

test('no folder has no works, and may come later', async () => {
  const scanner = new JobScanner(join(folder, 'later'))
  expect(await scanner.scan()).toEqual([])
  for await (const _ of (await openRun(join(folder, 'later/run'), spec)).perform());
  expect(await scanner.scan()).toMatchObject([{ job: { name: 'run' } }])
})

test('a file is found below a folder only, also where a link leads out of it', () => {
  writeFileSync(join(folder, 'secret'), 'canary')
  symlinkSync(join(folder, 'secret'), join(root, 'secret.png'))
  writeFileSync(join(root, 'a.png'), '')
  expect(existsSync(join(root, 'secret.png'))).toBe(true)
  expect(fileWithin(root, 'a.png')).toBeDefined()
  // A folder whose name begins alike is another folder.
  const beside = `${basename(root)}-beside`
  mkdirSync(join(folder, beside))
  writeFileSync(join(folder, beside, 'a.png'), '')
  for (const path of ['secret.png', '../secret', `../${beside}/a.png`, '/etc/passwd', '.', 'none', '..', '']) {
    expect(fileWithin(root, path)).toBeUndefined()
  }
})
