import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openOrdinary, readOrdinary, writeWholeFile } from './run-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-write-file-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a file is replaced as a whole, and nothing is left beside it', () => {
  const file = join(folder, 'a.json')
  writeWholeFile(file, '{"long": "text"}')
  writeWholeFile(file, new Uint8Array([123, 125]))
  expect(readFileSync(file, 'utf8')).toBe('{}')
  expect(readdirSync(folder)).toEqual(['a.json'])
  expect(() => writeWholeFile(join(folder, 'none', 'a.json'), '')).toThrow('cannot open')
})

test('what stands in the place of the temporary file is replaced, and not written to where it leads', () => {
  const victim = join(folder, 'victim')
  writeFileSync(victim, 'mine')
  symlinkSync(victim, join(folder, 'report.html.tmp'))
  writeWholeFile(join(folder, 'report.html'), 'page')
  expect([readFileSync(victim, 'utf8'), readFileSync(join(folder, 'report.html'), 'utf8')]).toEqual(['mine', 'page'])
  // What a killed process left is no obstacle.
  writeFileSync(join(folder, 'report.html.tmp'), 'half a pa')
  writeWholeFile(join(folder, 'report.html'), 'other')
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).toBe('other')
})

test.skipIf(process.platform === 'win32')('pipes, devices, folders and links are refused at once', () => {
  const [pipe, link] = [join(folder, 'pipe'), join(folder, 'link')]
  spawnSync('mkfifo', [pipe])
  symlinkSync(join(folder, 'victim'), link)
  for (const path of [pipe, '/dev/zero', '/dev/tty', '/proc/self/fd/0', folder]) {
    expect(() => readOrdinary(path)).toThrow()
    expect(() => openOrdinary(path, 'a+')).toThrow()
    expect(() => openOrdinary(path, 'wx')).toThrow()
  }
  expect(() => readOrdinary(pipe)).toThrow('it is no ordinary file')
  expect(() => openOrdinary(link, 'a+')).toThrow('it is no ordinary file')
  expect(() => openOrdinary(link, 'wx')).toThrow('EEXIST')
  closeSync(openOrdinary(link, 'r'))
})
