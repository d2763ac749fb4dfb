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
  budget: { maxQueries: 40 },
})
const solver: Solver = nearOrFar({ near: simba({ step: 1 }), far: simba({ step: 0.5 }), share: 0.25 })

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

test('goes back from the success that was known where a quarter of the budget led nowhere', () => {
  const asked = go(solver.begin(at()), 100)
  expect(asked.indexOf(5)).toBe(10)
})

test.each([2, 100])('continues from what was saved after every iteration, the goal at %i', (border) => {
  const memories: ReturnType<typeof saveMemory>[] = []
  const whole = go(solver.begin(at()), border, (search) => memories.push(saveMemory(search.memory)))
  memories.slice(0, -1).forEach((saved, i) => {
    const search = resumeSearch(solver, at(), saved)
    search.iteration = i + 1
    expect(go(search, border)).toEqual(whole.slice(i + 1))
  })
})
