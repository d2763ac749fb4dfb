import { describe, expect, test } from 'vitest'
import { beginning } from '../../../test/conformance/directions.ts'
import { makeAnswers } from '../../optimizer/core/answers.ts'
import { resumeSearch, saveMemory } from '../../optimizer/core/part.ts'
import type { RunContext, Search, Solver } from '../../optimizer/core/types.ts'
import { distance } from './boundary-moves.ts'
import { boundaryWalk, sphericalStep } from './boundary-walk.ts'
import { coordinateSpan } from './gradient-memory.ts'

describe('walk', () => {
  const dim = 20
  const settings = { directions: 4, refinement: 8, smoothing: 1e-3, firstStep: 0.01, growth: 1.2 }
  const at = (): RunContext => ({
    ...beginning(dim),
    start: new Float64Array(dim).fill(10),
    origin: new Float64Array(dim),
    budget: { maxQueries: 600 },
  })
  const solver: Solver = { start: (begin) => boundaryWalk(begin, coordinateSpan(dim), settings) }

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
    const found = walk(solver.start(at()), 600)
    expect((found[0] as number) + (found[1] as number) / 2).toBeGreaterThan(1)
    expect(distance(found, new Float64Array(dim))).toBeLessThan(1.05 * Math.sqrt(0.8))
  })

  test('continues from what was saved after every iteration', () => {
    const memories: ReturnType<typeof saveMemory>[] = []
    const rowsOf: number[] = []
    const whole = walk(solver.start(at()), 120, (search) => {
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
    const search = solver.start(at())
    walk(search, 1)
    for (let i = 0; i < 4; i++) search.skip()
    expect(search.rows).toBe(9)
    expect(search.point).toEqual(new Float64Array(dim))
    expect(search.answer).toEqual(new Float64Array(dim).fill(10))
  })
})

describe('spherical step', () => {
  const numbers = (...given: number[]) => Float64Array.from(given)

  test('a turned point is nearer by its share, and points between the best one and the steepest descent', () => {
    const { kernels } = beginning(2)
    const known = { origin: numbers(1, 0), kept: numbers(5, 0), gradient: numbers(0, -7) }
    const into = numbers(0, 0)
    sphericalStep(kernels, known, { turn: 0, nearerNow: 0.25 }, into)
    expect(Array.from(into)).toEqual([4, 0])
    sphericalStep(kernels, known, { turn: 1, nearerNow: 0.25 }, into)
    expect(Array.from(into)).toEqual([1, 3])
    sphericalStep(kernels, known, { turn: 0.5, nearerNow: 0.5 }, into)
    expect(distance(into, known.origin)).toBeCloseTo(2, 12)
    expect(into[0] as number).toBeCloseTo(1 + Math.SQRT2, 12)
  })
})
