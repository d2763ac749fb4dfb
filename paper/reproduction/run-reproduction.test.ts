import { expect, test } from 'vitest'
import { missingCells, nextCells } from './run-reproduction.ts'
import { type Experiment, planOf, type Results } from './tables/index.ts'

const cell = (name: string, order?: number) => ({ name, spec: {}, calls: 1, ...(order === undefined ? {} : { order }) })

test('cells wait for those of a smaller order, which is 0 where none is given', () => {
  const cells = [cell('late', 2), cell('usual'), cell('also', 0), cell('early', -1)]
  const names = (left: typeof cells) => nextCells(left).map(({ name }) => name)
  expect(names(cells)).toEqual(['early'])
  expect(names(cells.slice(0, 3))).toEqual(['usual', 'also'])
  expect(names(cells.slice(0, 1))).toEqual(['late'])
  expect(names([])).toEqual([])
})

test('only the cells are missing that a text, or one of several with commas between, names', () => {
  const plan = planOf({ scale: 'quick' })
  const results = { report: () => undefined } as unknown as Results
  const experiment = { cells: () => [cell('a-one'), cell('b-one'), cell('c-two')] } as unknown as Experiment
  const names = (only?: string) => missingCells([experiment], plan, results, only).map(({ name }) => name)
  expect(names()).toEqual(['a-one', 'b-one', 'c-two'])
  expect(names('one')).toEqual(['a-one', 'b-one'])
  expect(names('a-,two')).toEqual(['a-one', 'c-two'])
  expect(names('three')).toEqual([])
})
