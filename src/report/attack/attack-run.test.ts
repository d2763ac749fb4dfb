import { expect, test } from 'vitest'
import { sampleReport } from '../../../test/attacks/sample-report.ts'
import { panelsOf, styledRuns } from './attack-run.ts'

const report = sampleReport({ images: 1 })
const run = (name: string, problem: string) => ({ name, problem, report })

test('a method has the same colour for every problem', () => {
  const runs = styledRuns([run('a', 'x'), run('b', 'x'), run('c', 'y'), run('b', 'y')])
  expect(runs.map(({ style }) => style.color)).toEqual(['var(--c1)', 'var(--c2)', 'var(--c3)', 'var(--c2)'])
})

test('problems become panels with names that files may have, each its own', () => {
  const runs = styledRuns([run('a', 'Con/strained'), run('a', '../con strained'), run('a', '<b>'), run('a', '«»')])
  expect(panelsOf(runs).map(({ suffix }) => suffix)).toEqual(['-con-strained', '-con-strained-2', '-b', '-problem'])
  expect(panelsOf(runs).map(({ title }) => title)).toEqual(['Con/strained', '../con strained', '<b>', '«»'])
})

test('a single problem needs no name', () => {
  expect(panelsOf(styledRuns([run('a', 'x'), run('b', 'x')]))).toMatchObject([{ title: '', suffix: '' }])
})
