import { expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { makeAnswers } from '../core/answers.ts'
import { resumeSearch, saveMemory } from '../core/memory.ts'
import type { Begin, Search, Solver } from '../core/types.ts'
import { nearOrFar } from './near-or-far.ts'
import { simba } from './simba.ts'

/** A success at 5 is known; the origin is 0. */
const at = (): Begin => ({
  ...beginning(1),
  start: Float64Array.of(5),
  origin: Float64Array.of(0),
  budget: { maxQueries: 80 },
})
const down = simba({ step: 2 })
const solver = nearOrFar({
  near: simba({ step: 1 }),
  between: simba({ step: 0.25 }),
  far: simba({ step: 0.5 }),
  reach: 4,
  down,
})
const slow = nearOrFar({
  near: simba({ step: 0.01 }),
  between: simba({ step: 1 }),
  far: simba({ step: 0.5 }),
  reach: 4,
  down,
})

/** Asks 20 times; the goal is reached from `border` on. Returns the points that were asked. */
function go(search: Search, border: number, saved?: (search: Search) => void): number[] {
  const asked: number[] = []
  while (search.iteration < 20) {
    asked.push(search.point[0] as number)
    const answers = makeAnswers(1)
    answers.values[0] = Math.abs(border - (search.point[0] as number))
    answers.reached = (search.point[0] as number) >= border
    search.ask()
    search.tell(answers)
    saved?.(search)
  }
  return asked
}

test('begins at the origin, and stays on that way once it has succeeded', () => {
  const asked = go(solver.begin(at()), 2)
  expect(asked[0]).toBe(0)
  expect(asked).not.toContain(5)
})

test('goes back from the success that was known where nothing led to another one', () => {
  const asked = go(solver.begin(at()), 100)
  // 4 of 80 queries that came too little nearer, 8 in between.
  expect(asked.slice(4, 13)).toEqual([0, ...asked.slice(5, 12), 5])
})

test('goes back from a nearer success where squares in between have found one', () => {
  const asked = go(slow.begin(at()), 2)
  const found = asked.findIndex((each) => each >= 2)
  expect(asked.slice(0, 5)).toEqual([0, ...asked.slice(1, 4), 0])
  expect(found).toBeLessThan(10)
  expect(asked[found + 1]).toBe(asked[found])
  expect(asked).not.toContain(5)
})

test('goes down from the start where that does not succeed, either', () => {
  const asked = go(solver.begin(at()), 100)
  expect(asked.slice(12, 14)).toEqual([5, 5])
  expect(Math.abs((asked[14] as number) - 5)).toBe(2)
})

test('goes down from the start at once where the objective does not say what succeeds', () => {
  const search = solver.begin(at())
  const answers = makeAnswers(1)
  answers.values[0] = 1
  search.ask()
  search.tell(answers)
  expect(search.point[0]).toBe(5)
})

test('goes back at once from a success that is near enough', () => {
  const near = { near: simba({ step: 0.01 }), between: simba({ step: 1 }), far: simba({ step: 0.5 }), reach: 5, down }
  expect(go(nearOrFar(near).begin(at()), 2)[4]).toBe(5)
})

test.each([
  [solver, 2],
  [solver, 100],
  [slow, 2],
])('continues from what was saved after every iteration', (solver: Solver, border: number) => {
  const memories: ReturnType<typeof saveMemory>[] = []
  const whole = go(solver.begin(at()), border, (search) => memories.push(saveMemory(search.memory)))
  memories.slice(0, -1).forEach((saved, i) => {
    const search = resumeSearch(solver, at(), saved)
    search.iteration = i + 1
    expect(go(search, border)).toEqual(whole.slice(i + 1))
  })
})
