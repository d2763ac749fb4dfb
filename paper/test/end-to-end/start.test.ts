import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { built } from './built.ts'

const program = built('compare-robustness/compare-robustness')
const folder = mkdtempSync(join(tmpdir(), 'zeroth-start-'))
afterAll(() => rmSync(folder, { recursive: true }))

const pairs = [
  ['unconstrained', 'ZO-SCD'],
  ['unconstrained', 'ZO-SGD'],
  ['unconstrained', 'ZO-signSGD'],
  ['unconstrained', 'ZO-AdaMM'],
  ['constrained', 'ZO-NES'],
  ['constrained', 'ZO-PSGD'],
  ['constrained', 'ZO-SMD'],
  ['constrained', 'ZO-AdaMM'],
]

function start(out: string, ...flags: string[]): string {
  return execFileSync(process.execPath, [program, '--out', join(folder, out), ...flags], { encoding: 'utf8' })
}

test('npm start attacks the digits with all methods and ends with where its report is', () => {
  const printed = start('one', '--count', '2', '--max-queries', '600')
  for (const [problem, method] of pairs) expect(printed).toMatch(new RegExp(`^${problem} +${method} `, 'm'))
  const page = /Report: (.*index\.html)\n$/.exec(printed)?.[1] as string
  const html = readFileSync(page, 'utf8')
  expect(html).toMatch(/^<!doctype html>/i)
  expect(html).toContain('data:image/png;base64,')
  expect(html).not.toMatch(/\bNaN\b/)
  const numbers = readFileSync(join(folder, 'one', 'images.csv'), 'utf8')
    .trim()
    .split('\n')
  expect(numbers).toHaveLength(1 + 8 * 2)
  expect(numbers.slice(1).every((line) => Number(line.split(',').at(-1)) <= 600)).toBe(true)
  expect(readdirSync(join(folder, 'one')).filter((name) => name.endsWith('.svg')).length).toBeGreaterThan(2)
})

test('its numbers are the same however many threads there are, and others for another seed', () => {
  const numbers = (out: string) => readFileSync(join(folder, out, 'images.csv'), 'utf8')
  start('again', '--count', '2', '--max-queries', '600')
  start('other', '--count', '2', '--max-queries', '600', '--seed', '2')
  expect(numbers('again')).toBe(numbers('one'))
  expect(numbers('other')).not.toBe(numbers('one'))
})

test('an unknown flag, model or number is a usage error that shows the help', () => {
  for (const flags of [['--nope'], ['--count', 'many'], ['--max-queries', '5'], ['--model', 'letters']]) {
    const { status, stderr } = spawnSync(process.execPath, [program, ...flags], { encoding: 'utf8', cwd: folder })
    expect(status).toBe(2)
    expect(stderr).toContain('npm start [-- options]')
  }
  expect(existsSync(join(folder, 'zeroth-output'))).toBe(false)
})
