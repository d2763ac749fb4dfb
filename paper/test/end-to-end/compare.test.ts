import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { built } from './built.ts'

const program = built('compare-solvers/compare-solvers')
const folder = mkdtempSync(join(tmpdir(), 'zeroth-compare-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('npm run compare prints a table of all methods and ends with where its figure is', () => {
  const printed = execFileSync(process.execPath, [program, '--queries', '300', '--out', folder], { encoding: 'utf8' })
  const methods = ['ZO-SGD', 'ZO-SCD', 'ZO-signSGD', 'ZO-PSGD', 'ZO-SMD', 'ZO-NES', 'ZO-AdaMM']
  for (const method of methods) expect(printed).toContain(` ${method} `)
  const figure = /Report: (.*\.svg)/.exec(printed)?.[1] as string
  expect(readFileSync(figure, 'utf8')).toMatch(/^<svg[\s\S]*<\/svg>\s*$/)
  const numbers = readFileSync(join(folder, 'compare-solvers.csv'), 'utf8').trim().split('\n')
  expect(numbers[0]).toBe('problem,method,learningRate,queries,median,lowerQuartile,upperQuartile')
  expect(numbers.slice(1).every((line) => line.split(',').length === 7 && Number(line.split(',')[3]) <= 300)).toBe(true)
})

test('an unknown flag and a bad number are usage errors that show the help', () => {
  for (const flags of [['--nope'], ['--queries', 'many'], ['--queries', '5']]) {
    const { status, stderr } = spawnSync(process.execPath, [program, ...flags], { encoding: 'utf8' })
    expect(status).toBe(2)
    expect(stderr).toContain('npm run compare [-- options]')
  }
})
