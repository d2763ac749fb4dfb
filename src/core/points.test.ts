import { expect, test } from 'vitest'
import { zoSGD } from '../solvers/zo-sgd.ts'
import { points } from './points.ts'
import { createSession } from './session.ts'

test('are all rows of a query, each with memory of its own', () => {
  const queries = createSession([1, 2], { solver: zoSGD({ directions: 2 }) }).ask()
  const rows = points(queries)
  expect(rows).toHaveLength(3)
  expect(rows[0]).toEqual(Float64Array.of(1, 2))
  rows.forEach((row, index) => {
    const into = new Float64Array(2)
    queries.write(index, into)
    expect(row).toEqual(into)
    expect(row.buffer.byteLength).toBe(16)
  })
})
