import { expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { makeAnswers } from '../core/answers.ts'
import { resumeSearch, saveMemory } from '../core/memory.ts'
import type { Begin, Search, Solver } from '../core/types.ts'
import { distance } from './border-moves.ts'
import { coordinateSpan } from './slope-memory.ts'
import { turningWalk } from './turning-walk.ts'

const dim = 20
const settings = { directions: 4, refinement: 8, smoothing: 1e-3, firstStep: 0.01, growth: 1.2 }
const at = (): Begin => ({
  ...beginning(dim),
  start: new Float64Array(dim).fill(10),
  origin: new Float64Array(dim),
  budget: { maxQueries: 600 },
})
const solver: Solver = { begin: (begin) => turningWalk(begin, coordinateSpan(dim), settings) }

/** Success is beyond the plane x0 + x1 / 2 >= 1, whose nearest point is sqrt(0.8) away. The value is as that of an attack. */
function walk(search: Search, queries: number, each?: (search: Search) => void): Float64Array {
  const row = new Float64Array(dim)
  let asked = 0
  while (asked < queries) {
    const { rows } = search
    const answers = makeAnswers(rows)
    const asking = search.ask()
    for (let i = 0; i < rows; i++) {
      asking.write(i, row)
      const missing = 1 - (row[0] as number) - (row[1] as number) / 2
      if (i === 0) answers.reached = missing < 0
      answers.values[i] = 10 * Math.max(0, missing) + row.reduce((sum, x) => sum + x * x, 0)
    }
    search.tell(answers)
    asked += rows
    each?.(search)
  }
  return Float64Array.from(search.answer ?? search.point)
}

test('comes back from far away to within a few per cent of the nearest success', () => {
  const found = walk(solver.begin(at()), 600)
  expect((found[0] as number) + (found[1] as number) / 2).toBeGreaterThan(1)
  expect(distance(found, new Float64Array(dim))).toBeLessThan(1.05 * Math.sqrt(0.8))
})

test('continues from what was saved after every iteration', () => {
  const memories: ReturnType<typeof saveMemory>[] = []
  const rowsOf: number[] = []
  const whole = walk(solver.begin(at()), 120, (search) => {
    memories.push(saveMemory(search.memory))
    rowsOf.push(search.rows)
  })
  expect(memories.length).toBeGreaterThan(20)
  let asked = 0
  memories.slice(0, -1).forEach((saved, i) => {
    const search = resumeSearch(solver, at(), saved)
    search.iteration = i + 1
    asked += i === 0 ? 1 : (rowsOf[i - 1] as number)
    expect(walk(search, 120 - asked)).toEqual(whole)
  })
})

test('halvings without a value end at slopes around the last point that missed', () => {
  const search = solver.begin(at())
  walk(search, 1)
  for (let i = 0; i < 4; i++) search.skip()
  expect(search.rows).toBe(9)
  expect(search.point).toEqual(new Float64Array(dim))
  expect(search.answer).toEqual(new Float64Array(dim).fill(10))
})
