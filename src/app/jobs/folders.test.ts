import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { cliFolder } from '../../../test/cli/cli-folder.ts'
import { milliseconds } from '../provenance/wall-clock.ts'
import { defaultName, makeFolder, newRunPlace, runPlace, runsPlace, writeToFile } from './folders.ts'

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
  const module = { ...spec, objective: { name: 'workers', module: '/home/me/Loss 2.mjs' } }
  expect(defaultName(module, undefined, '7')).toBe('loss-2-zo-adamm-7')
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
  ['nothing', 'there is no run nothing (looked for nothing and zeroth-runs/nothing)'],
  ['file', 'there is no run file (looked for file and zeroth-runs/file)'],
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
  expect(() => runsPlace('nothing')).toThrow('there is no run nothing')
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

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zeroth-output-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function* pieces(...texts: readonly string[]) {
  for (const text of texts) {
    if (text === 'fail') throw new Error('no more')
    yield Buffer.from(text)
  }
}

test('a file is written piece by piece and replaces the one that was there', async () => {
  const path = join(folder, 'out.csv')
  writeFileSync(path, 'something longer than what comes')
  await writeToFile(path, pieces('a,', 'b\n'))
  expect(readFileSync(path, 'utf8')).toBe('a,b\n')
  expect(readdirSync(folder)).toEqual(['out.csv'])
})

test('an error in the middle leaves what was there, and nothing else', async () => {
  const path = join(folder, 'out.csv')
  await expect(writeToFile(path, pieces('a', 'fail'))).rejects.toThrow('no more')
  expect(readdirSync(folder)).toEqual([])
  writeFileSync(path, 'before')
  await expect(writeToFile(path, pieces('a', 'fail'))).rejects.toThrow('no more')
  expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['before', ['out.csv']])
})

test('the file behind a link is replaced, not the link; a device takes what comes', async () => {
  writeFileSync(join(folder, 'real'), '')
  symlinkSync('real', join(folder, 'link'))
  await writeToFile(join(folder, 'link'), pieces('a'))
  expect(readFileSync(join(folder, 'real'), 'utf8')).toBe('a')
  if (existsSync('/dev/null')) await writeToFile('/dev/null', pieces('a'))
  expect(readdirSync(folder).sort()).toEqual(['link', 'real'])
})

test.runIf(process.getuid?.() === 0)('a link that another user has put there is refused', async () => {
  writeFileSync(join(folder, 'mine'), 'mine')
  symlinkSync('mine', join(folder, 'planted'))
  lchownSync(join(folder, 'planted'), 65534, 65534)
  await expect(writeToFile(join(folder, 'planted'), pieces('a'))).rejects.toThrow(
    `cannot write ${join(folder, 'planted')}: it is a link of another user`,
  )
  expect(readFileSync(join(folder, 'mine'), 'utf8')).toBe('mine')
})

test('what killed processes have left of a file is removed, what others write is not', async () => {
  const path = join(folder, 'swept.csv')
  const { pid } = spawnSync('true')
  const leave = (name: string, seconds: number): void => {
    writeFileSync(join(folder, name), 'half')
    utimesSync(join(folder, name), seconds, seconds)
  }
  const old = milliseconds() / 1000 - 3600
  leave(`swept.csv.${pid}.tmp`, old)
  const kept = [`swept.csv.${process.ppid}.tmp`, `other.csv.${pid}.tmp`, `swept.csv.${pid}.tmp.txt`, 'swept.csv.tmp']
  for (const name of kept) leave(name, old)
  await writeToFile(path, pieces('a'))
  const left = readdirSync(folder).filter((name) => name.includes('.csv.'))
  expect(left.sort()).toEqual([...kept].sort())
  // Another machine may have a process of that number.
  leave(`swept.csv.${pid}.tmp`, milliseconds() / 1000)
  await writeToFile(path, pieces('b'))
  expect(existsSync(join(folder, `swept.csv.${pid}.tmp`))).toBe(true)
})

test('a link in the place of the temporary file is not followed', async () => {
  const victim = join(folder, 'victim')
  writeFileSync(victim, 'mine')
  symlinkSync(victim, join(folder, `planted.csv.${process.pid}.tmp`))
  await writeToFile(join(folder, 'planted.csv'), pieces('a'))
  expect([readFileSync(victim, 'utf8'), readFileSync(join(folder, 'planted.csv'), 'utf8')]).toEqual(['mine', 'a'])
})
