import { expect, test } from 'vitest'
import { nextCells } from './run-reproduction.ts'

const cell = (name: string, order?: number) => ({ name, spec: {}, calls: 1, ...(order === undefined ? {} : { order }) })

test('cells wait for those of a smaller order, which is 0 where none is given', () => {
  const cells = [cell('late', 2), cell('usual'), cell('also', 0), cell('early', -1)]
  const names = (left: typeof cells) => nextCells(left).map(({ name }) => name)
  expect(names(cells)).toEqual(['early'])
  expect(names(cells.slice(0, 3))).toEqual(['usual', 'also'])
  expect(names(cells.slice(0, 1))).toEqual(['late'])
  expect(names([])).toEqual([])
})
