import { expect, test } from 'vitest'
import { courseReport } from '../../test/course-report.ts'
import { courseTable, universalTable } from './course-tables.ts'

test('has the five numbers of every box, at the iterations where boxes stand', () => {
  const report = courseReport({ first: 10, finalL2sq: 2, images: 5, iterations: 20 })
  const { rows, isHidden } = courseTable([{ name: 'ZO-SGD', problem: 'constrained', report }], 'fig-1')
  expect(isHidden).toBe(true)
  expect(rows).toHaveLength(2 * 10)
  expect(rows.at(-1)).toEqual({
    problem: 'constrained',
    method: 'ZO-SGD',
    measure: 'squared distortion',
    iteration: 20,
    images: 5,
    lowerWhisker: 2,
    lowerQuartile: 2,
    median: 2.001,
    upperQuartile: 2.001,
    upperWhisker: 2.002,
  })
})

test('has every point of the lines of universal attacks, and none of other attacks', () => {
  const report = courseReport({ first: 1, finalL2sq: 2, iterations: 2 })
  expect(universalTable([{ name: 'a', problem: 'constrained', report }], 'fig-2').rows).toEqual([])
  const curve = { iteration: [0, 5], queries: [1, 56], loss: [3, 0], l2sq: [0, 2], linf: [0, 0.1], fooled: [0, 1] }
  const universal = { curve, queries: 56, images: 1, modelCalls: 60 }
  const run = { name: 'a', problem: 'constrained', report: { ...report, universal } }
  expect(universalTable([run], 'fig-2').rows).toEqual([
    { method: 'a', iteration: 0, queries: 1, loss: 3, l2sq: 0 },
    { method: 'a', iteration: 5, queries: 56, loss: 0, l2sq: 2 },
  ])
})
