import { expect, test } from 'vitest'
import { printed } from '../../../test/cli/printed.ts'
import { silentWatcher } from '../../../test/cli/silent-watcher.ts'
import { hashOf, type RunResult } from '../store/index.ts'
import { concludeRun, resultJson, resultText, tuningText } from './perform.ts'

const result: RunResult = {
  status: 'finished',
  stopReason: 'max-queries',
  value: 0.25,
  point: [1, -0, 3, 4, 5, 6, 7],
  last: { value: Number.NaN, point: [1, 2, 3, 4, 5, 6, 7] },
  queries: 12_345,
  cacheHits: 2,
  retries: 3,
  iterations: 1122,
  failures: { count: 1, first: 'Error: \x1b[31mno\nanswer' },
  skippedIterations: 0,
  warnings: ['careful\n!'],
  seed: 7,
  seconds: 83.2,
  hash: hashOf([1], [2]),
}

test('for programs one line with all of it, the folder absolute', () => {
  const line = resultJson(result, 'zeroth-runs/a')
  expect(line).not.toContain('\n')
  const read = JSON.parse(line)
  expect(read).toMatchObject({ value: 0.25, queries: 12_345, iterations: 1122, stopReason: 'max-queries' })
  expect(read.point).toEqual([1, '-0', 3, 4, 5, 6, 7])
  expect(read.last.value).toBe('NaN')
  expect(read.run).toBe(`${process.cwd()}/zeroth-runs/a`)
})

test('for people what matters, one thing a line', () => {
  expect(resultText(result, 'zeroth-runs/a').split('\n')).toEqual([
    'value       0.25',
    'point       [1, 0, 3, 4, 5, 6, ... 7 in all]',
    'queries     12,345 in 1,122 iterations, 1 min 23 s',
    'stopped by  max-queries',
    'failures    1, the first: Error: no answer',
    'retries     3',
    'cache hits  2',
    'warning     careful !',
    `hash        ${result.hash}`,
    'run         zeroth-runs/a',
  ])
})

test.each([
  ['finished', 0, '\nnext: zeroth report r writes an HTML report'],
  ['failed', 1, 'zeroth: the machine is off; zeroth resume r asks again'],
  ['aborted', 130, 'interrupted and saved: continue with zeroth resume r'],
] as const)('a run that was %s exits with %d', async (status, exitCode, message) => {
  const watching = silentWatcher()
  const ended = { ...result, status, ...(status === 'failed' ? { error: 'the machine\nis off' } : {}) }
  const { value } = await printed(() => concludeRun(ended, 'r', {}, watching))
  expect(value).toBe(exitCode)
  expect(watching.said).toEqual([message])
})

test('a run that was interrupted says so in that word, as lists, pages and reports do', () => {
  expect(resultText({ ...result, stopReason: 'aborted' }, 'r')).toContain('stopped by  interruption\n')
})

test.each([
  [0.3, 'use:   --solver zo-adamm --learning-rate 0.3'],
  [
    { value: 0.3, decay: 'sqrt' },
    'use:   --solver zo-adamm -O solver.learningRate.value=0.3 -O solver.learningRate.decay=sqrt',
  ],
])('a search says how to use what it found: %j', (learningRate, line) => {
  const best = { learningRate: 0.3, value: 1 }
  const found = { status: 'finished', tried: [best], best, atEdge: false } as const
  expect(tuningText({ ...found, solver: { name: 'zo-adamm', learningRate } }, 'tuned').split('\n')).toContain(line)
})
