import { expect, test } from 'vitest'
import { courseReport } from '../../test/course-report.ts'
import type { Results } from './experiment.ts'
import { planOf } from './plan.ts'
import { tableA3 } from './table-a3.ts'

const none = () => undefined

test('at equal queries, queries to the first success are those of the images fooled within them', () => {
  const results: Results = {
    report: ({ name }) =>
      name.includes('zo-scd')
        ? // Fooled at 52 and 53 iterations, 1,093 and 1,114 queries; the others end at 1,101.
          courseReport({ first: 52, finalL2sq: 1, rows: 21 })
        : courseReport({ first: 10, finalL2sq: 1 }),
    snapshot: none,
    picture: none,
    shape: none,
    classNames: none,
  }
  const table = tableA3
    .draw(planOf({ scale: 'quick' }), results)
    .tables?.find(({ file }) => file === 'table-a3-queries')
  const row = (method: string) => table?.rows.find((each) => each.method === method)
  expect(row('ZO-SCD')).toMatchObject({ queries: 1101, success: 0.5, firstQueries: 1093 })
  expect(row('ZO-SGD')).toMatchObject({ queries: 1101, success: 1, firstQueries: 116.5 })
})
