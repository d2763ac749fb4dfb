import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { writeWholeFile } from './run-file.ts'

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
