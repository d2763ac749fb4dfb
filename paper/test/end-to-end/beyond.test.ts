import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { onlyObject } from '../../../test/end-to-end/zeroth.ts'
import { reproduce } from './reproduce.ts'

const cwd = mkdtempSync(join(tmpdir(), 'zeroth-beyond-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

test('the comparison in miniature: tables, curves, a figure and a verdict, and again without asking anything', async () => {
  const small = ['--count', '2', '--iterations', '20', '--workers', '1']
  const ended = await reproduce(['beyond', ...small, '--out', 'small', '--json'], { cwd })
  expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' })
  const result = onlyObject(ended)
  expect(result).toMatchObject({ status: 'finished', cells: 50, done: 50 })
  // Eleven methods, 39 points of curves, 2 images and at most 221 queries each.
  expect(result.modelCalls).toBeLessThan(50 * 2 * 226)
  const path = (file: string) => join(cwd, 'small', file)
  const lines = (file: string) => readFileSync(path(file), 'utf8').trim().split('\n')
  expect(lines('beyond.csv')).toHaveLength(1 + 11)
  expect(lines('beyond-paired.csv').length).toBeGreaterThan(5)
  expect(lines('beyond-curves.csv')).toHaveLength(1 + 39)
  expect(lines('beyond-rates.csv')).toHaveLength(1 + 5)
  expect(readFileSync(path('beyond.svg'), 'utf8')).toMatch(/^<svg [\s\S]*zeroth, growth 1\.2: /)
  for (const page of ['index.html', 'index.md']) {
    const text = readFileSync(path(page), 'utf8')
    expect(text).toMatch(/Digits: goal (not )?met/)
    expect(text).not.toMatch(/\bNaN\b|undefined|Not run yet|Claims of the paper/)
  }
  const cells = readdirSync(path('cells'))
  expect(cells.every((name) => name.startsWith('digits-'))).toBe(true)
  const table = readFileSync(path('beyond.csv'), 'utf8')
  rmSync(path('beyond.csv'))
  const again = await reproduce(['beyond', '--out', 'small'], { cwd })
  expect(again.code).toBe(0)
  expect(again.stdout).toMatch(/^The goal: .*\n\nDigits: goal /)
  expect(again.stdout).toContain('from 50 of 50 attacks')
  expect(readFileSync(path('beyond.csv'), 'utf8')).toBe(table)
  expect(existsSync(path('beyond.svg'))).toBe(true)
})
