import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cliFolder } from '../../test/cli/cli-folder.ts'
import { defaultName, makeFolder, newRunPlace, runPlace, runsPlace } from './folders.ts'

const path = cliFolder()
const home = process.cwd()

beforeAll(() => {
  for (const folder of ['zeroth-runs/a', 'zeroth-runs/b', 'zeroth-runs/series', 'a', 'plain']) {
    mkdirSync(path(folder), { recursive: true })
  }
  for (const file of ['zeroth-runs/a/meta.json', 'zeroth-runs/series/series.json', 'file'])
    writeFileSync(path(file), '')
  process.chdir(path())
})
afterAll(() => process.chdir(home))

test('a new run is called after what it is about, in letters that are safe everywhere', () => {
  const spec = { objective: { name: 'exec' }, solver: 'zo-adamm' }
  expect(defaultName(spec, undefined, '7')).toBe('exec-zo-adamm-7')
  expect(defaultName(spec, 'some/My Problem.v2.yaml', '7')).toBe('my-problem-v2-zo-adamm-7')
  expect(defaultName(spec, `${'../ü'.repeat(60)}x.yaml`, '7')).toBe('x-zo-adamm-7')
  expect(defaultName(spec, `${'y'.repeat(90)}.yaml`, '7')).toMatch(/^y{60}$/)
})

test('a new run takes the folder of --out, or the first free one of its name', () => {
  expect(newRunPlace('out/My Run', 'x')).toEqual({ folder: path('out/My Run'), id: 'my-run' })
  expect(newRunPlace('/', 'x').id).toBe('run')
  expect(newRunPlace(undefined, 'c')).toEqual({ folder: 'zeroth-runs/c', id: 'c' })
  expect(newRunPlace(undefined, 'a')).toEqual({ folder: 'zeroth-runs/a-2', id: 'a-2' })
})

test('a run is found by its folder or by its name; a folder of the same name that is not a run is passed over', () => {
  expect(runPlace('zeroth-runs/a')).toBe('zeroth-runs/a')
  expect(runPlace('a')).toBe('zeroth-runs/a')
  expect(runPlace('series')).toBe('zeroth-runs/series')
})

test.each([
  ['nothing', 'nothing is not a run: there is neither a folder nothing nor zeroth-runs/nothing'],
  ['file', 'file is not a run: there is neither a folder'],
  ['plain', 'plain is not a run: plain has no meta.json, no series.json and no attack.json'],
  ['b', 'b is not a run: zeroth-runs/b has no meta.json, no series.json and no attack.json'],
])('%s is not a run', (given, message) => {
  expect(() => runPlace(given)).toThrow(message)
})

test('any folder stands for the runs inside it', () => {
  expect(runsPlace('plain')).toBe('plain')
  expect(runsPlace('.')).toBe('.')
  expect(runsPlace('a')).toBe('zeroth-runs/a')
  expect(runsPlace('zeroth-runs')).toBe('zeroth-runs')
  expect(() => runsPlace('nothing')).toThrow('nothing is not a run')
})

test('makes all that is missing, and nothing twice', async () => {
  const root = mkdtempSync(join(tmpdir(), 'zeroth-folders-'))
  try {
    await makeFolder(join(root, 'a/b/c'))
    await makeFolder(join(root, 'a/b/c'))
    await Promise.all(Array.from({ length: 20 }, (_, i) => makeFolder(join(root, `at/once/${i % 4}/${i}`))))
    expect(existsSync(join(root, 'a/b/c'))).toBe(true)
    writeFileSync(join(root, 'file'), '')
    const refused = /(file: it|\/file) is a file, not a folder: choose another place$/
    for (const path of ['file', 'file/x', 'file/x/y']) {
      await expect(makeFolder(join(root, path))).rejects.toThrow(refused)
    }
  } finally {
    rmSync(root, { recursive: true })
  }
})

test.runIf(existsSync('/proc/self'))('gives up where nothing can be made', async () => {
  await expect(makeFolder('/proc/zeroth/run')).rejects.toThrow('nothing can be made in /proc: choose another place')
})
