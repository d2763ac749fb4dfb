import { expect, test } from 'vitest'
import { memoryFiles } from '../../../test/run-store/memory-files.ts'
import { powerFiles } from '../../../test/run-store/power-files.ts'
import { readTrace } from './read-trace.ts'
import { RunFile } from './run-file.ts'
import { openTrace, traceLines } from './trace-file.ts'

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

const record = (iteration: number) => ({ iteration, queries: 5 * iteration, value: 1 / iteration, best: 0.5 })
const none = { bytes: 0, iteration: 0 }

function written(count: number) {
  const files = memoryFiles()
  const { trace } = openTrace(files, 'run', none, () => 0)
  for (let i = 1; i <= count; i++) trace.add(record(i), i / 3)
  trace.sync()
  const { bytes } = trace
  trace.close()
  return { files, bytes }
}

const textOf = (files: ReturnType<typeof memoryFiles>) => new TextDecoder().decode(files.content('run/trace.jsonl'))

test('there is a line of JSON for each iteration, times to the microsecond', () => {
  expect(textOf(written(2).files)).toBe(
    '{"iteration":1,"queries":5,"value":1,"best":0.5,"seconds":0.333333}\n' +
      '{"iteration":2,"queries":10,"value":0.5,"best":0.5,"seconds":0.666667}\n',
  )
})

test('numbers that JSON cannot say are words, and come back as numbers', () => {
  const files = memoryFiles()
  const { trace } = openTrace(files, 'run', none, () => 0)
  trace.add({ iteration: 1, queries: 1, value: Number.NaN, best: -0 }, 0)
  trace.add({ iteration: 2, queries: 2, value: Infinity, best: -Infinity }, 0)
  trace.flush()
  expect(textOf(files)).toMatch('"value":"NaN","best":"-0"')
  expect(textOf(files)).toMatch('"value":"Infinity","best":"-Infinity"')
  const { columns, damaged } = readTrace(files, 'run')
  expect(damaged).toBe(0)
  expect(columns.value).toEqual(Float64Array.of(Number.NaN, Infinity))
  expect(columns.best).toEqual(Float64Array.of(-0, -Infinity))
})

test('lines wait for each other for 100 ms at most', () => {
  const files = memoryFiles()
  let now = 0
  const { trace } = openTrace(files, 'run', none, () => now)
  trace.add(record(1), 0)
  now = 99
  trace.add(record(2), 0)
  expect(textOf(files)).toBe('')
  now = 100
  trace.add(record(3), 0)
  expect(readTrace(files, 'run').columns.iteration).toEqual(Float64Array.of(1, 2, 3))
})

test('many lines do not wait', () => {
  const files = memoryFiles()
  const { trace } = openTrace(files, 'run', none, () => 0)
  for (let i = 1; i <= 2000; i++) trace.add(record(i), 0)
  expect(readTrace(files, 'run').columns.iteration.length).toBeGreaterThan(900)
})

test('a trace is opened where a checkpoint left it: later lines go', () => {
  const { files } = written(5)
  const { bytes } = written(3)
  const { trace, note } = openTrace(files, 'run', { bytes, iteration: 3 }, () => 0)
  expect(note).toBeUndefined()
  trace.add(record(4), 9)
  trace.flush()
  expect(readTrace(files, 'run').columns.seconds).toEqual(Float64Array.of(0.333333, 0.666667, 1, 9))
})

test('of a trace that is shorter than it should be the good lines are kept', () => {
  const { files, bytes } = written(5)
  const text = textOf(files).split('\n')
  files.put('run/trace.jsonl', new TextEncoder().encode([text[0], 'damaged', ...text.slice(2, 4), '{"iter'].join('\n')))
  const { trace, note } = openTrace(files, 'run', { bytes, iteration: 5 }, () => 0)
  expect(note).toBe('trace.jsonl was damaged: 3 lines kept, 1 dropped')
  trace.close()
  expect(readTrace(files, 'run')).toMatchObject({ columns: { iteration: Float64Array.of(1, 3, 4) }, damaged: 0 })
})

test('a new trace keeps its name in a power cut', () => {
  const files = powerFiles(new Map())
  const { trace } = openTrace(files, 'run', none, () => 0)
  trace.add(record(1), 0)
  trace.sync()
  const disk = files.survivors(() => 0)
  expect(new TextDecoder().decode(disk.get('run/trace.jsonl'))).toMatch(/^\{"iteration":1,.*\}\n$/)
})

test('a reader leaves out damaged lines and says how many, and ignores the one being written', () => {
  const { files } = written(4)
  const lines = textOf(files).split('\n')
  const bad = [lines[0], '{"iteration":2}', lines[2], lines[1], lines[3], '{"iteration":5,"que'].join('\n')
  files.put('run/trace.jsonl', new TextEncoder().encode(bad))
  expect(readTrace(files, 'run')).toMatchObject({ columns: { iteration: Float64Array.of(1, 3, 4) }, damaged: 2 })
})

test('a run without a trace has columns without rows', () => {
  expect(readTrace(memoryFiles(), 'run').columns.best).toHaveLength(0)
})
