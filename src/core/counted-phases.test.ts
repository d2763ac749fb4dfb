import { expect, test } from 'vitest'
import { countedPhases } from './counted-phases.ts'

test('the last phase takes what no other counted', () => {
  const phase = (queries: number) => ({ method: 'probe', why: '', queries, value: 1 })
  expect(countedPhases([phase(2), phase(5)], 9).map(({ queries }) => queries)).toEqual([2, 7])
  expect(countedPhases([], 0)).toEqual([])
})
