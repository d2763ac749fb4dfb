import { expect, test } from 'vitest'
import { memoryFiles } from '../../test/run-store/memory-files.ts'
import { RunFile } from './run-file.ts'
import { traceLines } from './trace-lines.ts'

const line = (iteration: number) => `{"iteration":${iteration},"queries":5,"value":1e-7,"best":"NaN","seconds":0.25}\n`

function linesOf(text: string, start?: number) {
  const files = memoryFiles()
  files.put('trace', new TextEncoder().encode(text))
  return [...traceLines(new RunFile(files, 'trace', 'r'), start)]
}

const iterationsOf = (text: string, start?: number) => linesOf(text, start).map(({ record }) => record?.iteration)

test('lines come with their place, also across the windows in which a file is read', () => {
  const count = 10_000
  const text = Array.from({ length: count }, (_, i) => line(i + 1)).join('')
  expect(text.length).toBeGreaterThan(2 * 2 ** 18)
  const lines = linesOf(text)
  expect(lines.map(({ record }) => record?.iteration)).toEqual(Array.from({ length: count }, (_, i) => i + 1))
  expect(lines.map(({ from, to }) => text.slice(from, to)).join('')).toBe(text)
  expect(lines[0]?.record).toEqual({ iteration: 1, queries: 5, value: 1e-7, best: Number.NaN, seconds: 0.25 })
})

test('a line too long for a window is damaged, and those behind it are read', () => {
  const text = `${line(1)}${'x'.repeat(600_000)}\n${line(2)}`
  expect(iterationsOf(text)).toEqual([1, undefined, 2])
  expect(iterationsOf(`${line(1)}${'x'.repeat(600_000)}`)).toEqual([1])
})

test('the end of a trace is read without what is before it', () => {
  const text = line(1) + line(2) + line(3)
  expect(iterationsOf(text, line(1).length)).toEqual([2, 3])
  expect(iterationsOf(text, line(1).length + 5)).toEqual([undefined, 3])
})

test.each([
  ['a fraction', '{"iteration":1.5,"queries":5,"value":1,"best":1,"seconds":0}'],
  ['a number that JSON does not know', '{"iteration":1,"queries":5,"value":.5,"best":1,"seconds":0}'],
  ['a leading zero', '{"iteration":01,"queries":5,"value":1,"best":1,"seconds":0}'],
  ['a word', '{"iteration":1,"queries":5,"value":"one","best":1,"seconds":0}'],
  ['a field more', '{"iteration":1,"queries":5,"value":1,"best":1,"seconds":0,"more":1}'],
  ['something behind it', '{"iteration":1,"queries":5,"value":1,"best":1,"seconds":0}}'],
])('a line with %s is damaged', (_, text) => {
  expect(iterationsOf(`${text}\n`)).toEqual([undefined])
})

test('a line in another order and with spaces says the same', () => {
  const text = '{"queries": 5, "iteration": 1, "value": "-0", "best": 1, "seconds": 0}\n'
  expect(linesOf(text)[0]?.record).toEqual({ iteration: 1, queries: 5, value: -0, best: 1, seconds: 0 })
})
