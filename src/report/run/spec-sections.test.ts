import { expect, test } from 'vitest'
import { parsed } from '../../../test/report/page-check.ts'
import { sampleRun } from '../../../test/report/sample-run.ts'
import { textOf } from '../markup.ts'
import type { RunData } from './run-data.ts'
import { runGroups } from './run-groups.ts'
import { recipesSection, settingsSection } from './spec-sections.ts'

const section = (specs: readonly Record<string, unknown>[]): Document =>
  parsed(`<section>${textOf(settingsSection(runGroups(specs.map((spec) => sampleRun({ spec })))).content)}</section>`)
const cells = (document: Document, selector: string): (string | undefined)[] =>
  [...document.querySelectorAll(selector)].map(({ textContent }) => textContent?.trim())

test('one spec is a table per part, with the seeds of its runs', () => {
  const document = section([
    { seed: 3, noise: { deviation: 0.1 } },
    { seed: 5, noise: { deviation: 0.1 } },
  ])
  expect(cells(document, 'caption')).toEqual(['run', 'objective', 'solver', 'noise'])
  expect(cells(document, 'tr')).toEqual(['dim2', 'seed3, 5', 'namerosenbrock', 'namezo-adamm', 'deviation0.1'])
})

test('what differs stands apart, and what departs from the majority is marked', () => {
  const document = section([{ rate: 1 }, { rate: 1, extra: true }, { rate: 1, more: 'x' }, { rate: 2 }])
  expect(cells(document, '.scroll thead th').sort()).toEqual(['Group', 'extra', 'more', 'rate'])
  expect(cells(document, 'mark').sort()).toEqual(['2', 'x', 'yes'])
  expect(cells(document, '.cards th')).not.toContain('rate')
})

test('the shorter list runs across', () => {
  const two = section([
    { a: 1, b: 1, c: 1 },
    { a: 2, b: 2, c: 2 },
  ])
  expect(cells(two, '.scroll tbody th')).toEqual(['a', 'b', 'c'])
  const three = section([{ a: 1 }, { a: 2 }, { a: 3 }])
  expect(cells(three, '.scroll thead th')).toEqual(['Group', 'a'])
})

test('too many settings are cut, with a word on it', () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`setting${i}`, i]))
  expect(section([many]).querySelector('section')?.textContent).toContain('103 more settings are not shown')
})

const recipes = (runs: readonly RunData[]): Document =>
  parsed(`<section>${textOf(recipesSection(runGroups(runs)).content)}</section>`)

test('several seeds are one command and a list, with the hash of each', () => {
  const document = recipes([4, 9, 2].map((seed) => sampleRun({ name: `run-${seed}`, spec: { seed } })))
  expect(document.querySelector('pre')?.textContent).toBe('npx zeroth@0.1.0 minimize spec.json --seed 4')
  expect(document.querySelector('section')?.textContent).toContain('The same with the seeds 9, 2.')
  expect([...document.querySelectorAll('li')].map(({ textContent }) => textContent)).toEqual(
    [4, 9, 2].map((seed) => `run-${seed}: ${'ab'.repeat(32)}`),
  )
})

test('several groups have a spec each', () => {
  const document = recipes(['a', 'b'].map((name) => sampleRun({ spec: { solver: { name } } })))
  expect([...document.querySelectorAll('h3')].map(({ textContent }) => textContent?.trim())).toEqual(['a', 'b'])
  expect(
    [...document.querySelectorAll('details pre')].map(({ textContent }) => JSON.parse(textContent ?? '').solver.name),
  ).toEqual(['a', 'b'])
})

test('a spec too long for a page is looked up in the run', () => {
  const document = recipes([sampleRun({ name: 'long', spec: { start: Array(10_000).fill(0.5) } })])
  expect(document.querySelector('details')).toBeNull()
  expect(document.querySelector('section')?.textContent).toContain('it is the entry spec in meta.json of run long')
})
