import { expect, test } from 'vitest'
import { memoryFiles } from '../../test/run-store/memory-files.ts'
import { powerFiles } from '../../test/run-store/power-files.ts'
import { readTrace } from './read-trace.ts'
import { openTrace } from './trace-file.ts'

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
