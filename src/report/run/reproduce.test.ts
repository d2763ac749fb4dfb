import { expect, test } from 'vitest'
import { parsed } from '../../../test/report/page-check.ts'
import { sampleRun } from '../../../test/report/sample-run.ts'
import { textOf } from '../markup.ts'
import { reproduce } from './reproduce.ts'
import type { RunData } from './run-data.ts'
import { runGroups } from './run-groups.ts'

const section = (runs: readonly RunData[]): Document => parsed(textOf(reproduce(runGroups(runs))))

test('several seeds are one command and a list, with the hash of each', () => {
  const document = section([4, 9, 2].map((seed) => sampleRun({ name: `run-${seed}`, spec: { seed } })))
  expect(document.querySelector('pre')?.textContent).toBe('npx zeroth@0.1.0 minimize spec.json --seed 4')
  expect(document.querySelector('section')?.textContent).toContain('The same with the seeds 9, 2.')
  expect([...document.querySelectorAll('li')].map(({ textContent }) => textContent)).toEqual(
    [4, 9, 2].map((seed) => `run-${seed}: ${'ab'.repeat(32)}`),
  )
})

test('several groups have a spec each', () => {
  const document = section(['a', 'b'].map((name) => sampleRun({ spec: { solver: { name } } })))
  expect([...document.querySelectorAll('h3')].map(({ textContent }) => textContent?.trim())).toEqual(['a', 'b'])
  expect(
    [...document.querySelectorAll('details pre')].map(({ textContent }) => JSON.parse(textContent ?? '').solver.name),
  ).toEqual(['a', 'b'])
})

test('a spec too long for a page is looked up in the run', () => {
  const document = section([sampleRun({ name: 'long', spec: { start: Array(10_000).fill(0.5) } })])
  expect(document.querySelector('details')).toBeNull()
  expect(document.querySelector('section')?.textContent).toContain('it is the entry spec in meta.json of run long')
})
