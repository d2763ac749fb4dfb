import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { newFolder } from '../../../test/run-store/stored-run.ts'
import { folderHolder, lockFolder, runFolder } from './run-folder.ts'

/** A hundred ways to ask for another folder. */
const traversals = [
  '',
  '.',
  '..',
  '/',
  '//',
  '~',
  '\0',
  'a\0',
  'a/..',
  './a',
  'a/./b',
  'A',
  'a b',
  'a.b',
  'a_b',
  'é',
  'a\n',
  'C:\\',
  'file:///etc',
  'x'.repeat(65),
  ...[
    '/etc/passwd',
    '\\..\\..',
    '%2e%2e%2f',
    '%252e%252e',
    '..%c0%af',
    '..;/',
    '....//',
    '..\\',
    '../../',
    '．．／',
  ].flatMap((piece) => [
    piece,
    `a${piece}`,
    `${piece}a`,
    piece.repeat(3),
    `a/${piece}`,
    `/${piece}`,
    `${piece}\0`,
    `${piece}.json`,
  ]),
]

test('a hundred ids that could lead elsewhere are refused before the disk is looked at', async () => {
  expect(new Set(traversals).size).toBe(100)
  for (const id of traversals) {
    await expect(runFolder('/', id)).rejects.toThrow('a run id has 1 to 64 small letters, digits and hyphens, got')
  }
})

test('a run is found by its id', async () => {
  const root = newFolder()
  mkdirSync(join(root, 'run-1'), { recursive: true })
  expect(await runFolder(root, 'run-1')).toBe(join(root, 'run-1'))
  await expect(runFolder(root, 'run-2')).rejects.toThrow(`there is no run run-2 in ${root}`)
  await expect(runFolder(join(root, 'none'), 'run-1')).rejects.toThrow('there is no run run-1')
})

test('a link that leads out of the root, or to another run, is refused; a root that is a link is not', async () => {
  const root = newFolder()
  mkdirSync(join(root, 'real'), { recursive: true })
  symlinkSync('/', join(root, 'out'))
  symlinkSync(join(root, 'real'), join(root, 'other'))
  await expect(runFolder(root, 'out')).rejects.toThrow(`leads to /, outside of ${root}`)
  await expect(runFolder(root, 'other')).rejects.toThrow(`leads to ${join(root, 'real')}`)
  symlinkSync(root, `${root}-link`)
  expect(await runFolder(`${root}-link`, 'real')).toBe(join(`${root}-link`, 'real'))
})

const folder = mkdtempSync(join(tmpdir(), 'zeroth-folder-lock-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('one process at a time writes into a folder of several runs', async () => {
  expect(folderHolder(folder)).toBeUndefined()
  const lock = await lockFolder(folder)
  expect(folderHolder(folder)?.pid).toBe(process.pid)
  await expect(lockFolder(folder)).rejects.toThrow(`is in use by process ${process.pid}`)
  lock.release()
  expect(folderHolder(folder)).toBeUndefined()
  expect(existsSync(join(folder, 'lock'))).toBe(false)
  ;(await lockFolder(folder)).release()
})
