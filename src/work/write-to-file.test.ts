import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeToFile } from './write-to-file.ts'

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
