import { expect, test } from 'vitest'
import type { HistoryRecord } from '../core/history.ts'
import { functionObjective } from '../objectives/function.ts'
import { zoSGD } from '../solvers/zo-sgd.ts'
import { maximize } from './maximize.ts'
import { minimize } from './minimize.ts'

const options = { solver: zoSGD({ directions: 2, learningRate: 0.05 }), maxIterations: 30 }
const hill = (x: ArrayLike<number>): number => 3 - Array.from(x).reduce((sum, each) => sum + each * each, 0)

test('finds a maximum, and all values are those of the function itself', async () => {
  const records: HistoryRecord[] = []
  const result = await maximize(hill, [1, 2], { ...options, onIteration: (record) => records.push(record) })
  expect(result.value).toBe(hill(result.point))
  expect(result.last.value).toBe(hill(result.last.point))
  expect(result.value).toBeGreaterThan(-2)
  expect(result.history[0]).toEqual({ iteration: 1, queries: 3, value: -2, best: -2 })
  expect(result.history.map((record) => record.best)).toEqual(
    result.history.map((_, i) => Math.max(...result.history.slice(0, i + 1).map((record) => record.value))),
  )
  expect(records).toEqual(result.history)
})

test('takes the path of minimising the negative', async () => {
  const up = await maximize(hill, [1, 2], options)
  const down = await minimize((x) => -hill(x), [1, 2], options)
  expect(up).toEqual({
    ...down,
    value: -down.value,
    last: { ...down.last, value: -down.last.value },
    history: down.history.map((record) => ({ ...record, value: -record.value, best: -record.best })),
  })
})

test('is the same for promises, other thenables, objectives and batches', async () => {
  const expected = await maximize(hill, [1, 2], options)
  expect(await maximize(async (x) => hill(x), [1, 2], options)).toEqual(expected)
  const thenable = (x: Float64Array) => ({ then: (done: (value: number) => void) => done(hill(x)) }) as Promise<number>
  expect(await maximize(thenable, [1, 2], options)).toEqual(expected)
  expect(await maximize(functionObjective(hill, { dim: 2 }), [1, 2], options)).toEqual(expected)
  expect(
    await maximize(
      functionObjective(async (x) => hill(x), { dim: 2 }),
      [1, 2],
      options,
    ),
  ).toEqual(expected)
  expect(await maximize((points) => points.map(hill), [1, 2], { ...options, batched: true })).toEqual(expected)
  const typed = async (points: readonly Float64Array[]) => Float64Array.from(points, hill)
  expect(await maximize(typed, [1, 2], { ...options, batched: true })).toEqual(expected)
})

test('the target is a value of the function', async () => {
  const result = await maximize(hill, [1, 2], { ...options, maxIterations: 500, target: -1 })
  expect(result.stopReason).toBe('target')
  expect(result.value).toBeGreaterThanOrEqual(-1)
  expect(result.value).toBeLessThan(3)
})

test('a failure carries the outcome in values of the function', async () => {
  const failing = (x: ArrayLike<number>, { iteration }: { iteration: number }) => (iteration === 3 ? Infinity : hill(x))
  const error = await maximize(failing, [1, 2], options).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'objective-failed', outcome: { status: 'failed', iterations: 2 } })
  expect(error).toHaveProperty('message', expect.stringContaining('the objective returned Infinity'))
  const { outcome } = error as { outcome: { value: number; point: Float64Array; history: HistoryRecord[] } }
  expect(outcome.value).toBe(hill(outcome.point))
  expect(outcome.history[0]?.value).toBe(-2)
})

test('the policy worst puts the smallest value in the place of a missing one', async () => {
  const seen: number[] = []
  const result = await maximize(
    (x, { row, iteration }) => {
      if (row === 1 && iteration > 1) return Number.NaN
      const value = hill(x)
      seen.push(value)
      return value
    },
    [1, 2],
    { ...options, failures: 'worst', maxIterations: 3 },
  )
  expect(result.failures.count).toBe(2)
  expect(result.value).toBeGreaterThanOrEqual(Math.min(...seen))
})

test('what is no objective is refused', async () => {
  await expect(maximize(3 as never, [1])).rejects.toThrow('the objective must be a function or an Objective, got 3')
  await expect(maximize(null as never, [1])).rejects.toThrow(
    'the objective must be a function or an Objective, got null',
  )
})

test('the message about what came back shows what really came back', async () => {
  await expect(maximize(() => '3' as never, [1])).rejects.toThrow('the objective returned "3" instead of a number')
})
