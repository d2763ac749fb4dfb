import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { measure, measureOne } from './measure.ts'
import { moreWild } from './more-wild.ts'
import { ownSolver } from './own-solvers.ts'
import { openRows } from './rows.ts'
import type { Solver } from './solver.ts'

const [first] = moreWild()
const task = { problem: first as NonNullable<typeof first>, budget: 200, seed: 1, timeLimit: 60_000 }

/** A method that asks the start and reports another point. */
const modest: Solver = {
  name: 'modest',
  own: false,
  random: false,
  largest: 8,
  run: async ({ problem: { start } }, { query }) => {
    query(start)
    return { point: start.map(() => -1), note: 'done', own: 5 }
  },
  close: () => undefined,
}

describe('a run', () => {
  it('of a method of the library keeps to its budget and reports its point', async () => {
    const row = await measureOne(ownSolver('zo-adamm') as Solver, task)
    expect(row).toMatchObject({ solver: 'zo-adamm', budget: 200, whole: false, note: 'max-queries' })
    expect(row.queries).toBeLessThanOrEqual(200)
    expect(row.queries).toBeGreaterThan(180)
    expect(row.best).toBeLessThan(row.initial)
    expect(row.reported).toBeGreaterThanOrEqual(row.best)
  })

  it('of a peer counts the value at the reported point and its own time', async () => {
    // The linear function of full rank has its minimum, 36, at (-1, ..., -1).
    const row = await measureOne(modest, task)
    expect(row).toMatchObject({ queries: 1, best: task.problem.initial, microseconds: 5000 })
    expect(row.reported).toBeCloseTo(36, 10)
  })

  it('that fails is a result', async () => {
    const greedy: Solver = {
      ...modest,
      run: async (_, { query }) => (query(task.problem.start), Promise.reject(new Error('broken'))),
    }
    expect(await measureOne(greedy, task)).toMatchObject({
      queries: 1,
      note: 'failed: Error: broken',
      reported: task.problem.initial,
    })
  })

  it('is made once: what has its row is skipped, and so are problems that are too large for the method', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'measure-'))
    try {
      const store = openRows(folder)
      const some = moreWild().slice(0, 8)
      // Problems 1 and 2 have 9 variables; without random numbers one seed is enough.
      expect(await measure(modest, some, { seeds: 3, timeLimit: 1000 }, store)).toBe(6)
      expect(await measure(modest, some, { seeds: 3, timeLimit: 1000 }, store)).toBe(0)
      expect(await measure(modest, some, { seeds: 3, timeLimit: 1000, budget: 25 }, store)).toBe(6)
      expect(
        await measure({ ...modest, name: 'random', random: true }, some, { seeds: 3, timeLimit: 1000 }, store),
      ).toBe(18)
      expect(store.rows.filter(({ whole }) => !whole).map(({ budget, dim }) => budget / (dim + 1))).toEqual(
        Array(6).fill(25),
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('methods by name', () => {
  it('are those of the library, and auto for none', () => {
    expect(ownSolver('auto')?.name).toBe('auto')
    expect(ownSolver('nearest-boundary')?.name).toBe('nearest-boundary')
    expect(ownSolver('scipy-lbfgsb')).toBe(undefined)
  })
})
