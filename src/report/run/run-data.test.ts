import { expect, test } from 'vitest'
import { sampleRun } from '../../../test/report/sample-run.ts'
import { bestValue, checkRuns, isFinished, iterationsOf, queriesOf, secondsOf, seedOf } from './run-data.ts'

test('no runs are refused, and so is a trace with columns of different lengths', () => {
  expect(() => checkRuns([])).toThrow('runPage: there are no runs to report, give at least one')
  const run = sampleRun({ name: 'torn' })
  expect(() => checkRuns([{ ...run, trace: { ...run.trace, best: [1] } }])).toThrow(
    'run torn must be equally long, got iteration 3, queries 3, value 3, best 1, seconds 3',
  )
})

test('a run with a result is told by it', () => {
  const run = sampleRun({ result: { value: 0.5, queries: 34, seconds: 9, iterations: 3, seed: 11 } })
  expect([bestValue(run), queriesOf(run), secondsOf(run), iterationsOf(run), seedOf(run)]).toEqual([0.5, 34, 9, 3, 11])
  expect(isFinished(run)).toBe(true)
})

test('a run without one is told by the end of its trace', () => {
  const run = sampleRun({ status: 'interrupted', result: undefined, best: [Number.NaN, 3, 2] })
  expect([bestValue(run), queriesOf(run), secondsOf(run), iterationsOf(run), seedOf(run)]).toEqual([2, 33, 3, 3, 7])
  expect(isFinished(run)).toBe(false)
})

test('a run that has not begun has no value and no time', () => {
  const run = sampleRun({ status: 'running', result: undefined, best: [], spec: { seed: 'text' } })
  expect([bestValue(run), queriesOf(run), secondsOf(run), iterationsOf(run), seedOf(run)]).toEqual([
    Number.NaN,
    0,
    Number.NaN,
    0,
    undefined,
  ])
})
