import { expect, test } from 'vitest'
import { box, createSession, zoAdaMM } from '../src/index.ts'

test('ten million variables take two iterations, with every point inside the box', () => {
  const dim = 10_000_000
  const session = createSession(new Float32Array(dim), {
    solver: zoAdaMM({ directions: 2, smoothing: 0.01 }),
    set: box({ lower: -0.001, upper: 0.5 }),
    precision: 'float32',
    maxIterations: 2,
  })
  const row = session.allocate(dim)
  while (session.outcome === undefined) {
    const queries = session.ask()
    const answers = session.answers()
    for (let i = 0; i < queries.rows; i++) {
      queries.write(i, row)
      answers.values[i] = (row[0] as number) + (row[dim - 1] as number)
    }
    session.tell(answers)
  }
  const { last, queries } = session.outcome
  expect(queries).toBe(7)
  expect(last.point[0]).not.toBe(0)
  expect(last.point[dim - 1]).not.toBe(0)
  expect(last.point.every((value) => value >= -0.001 && value <= 0.5)).toBe(true)
})
