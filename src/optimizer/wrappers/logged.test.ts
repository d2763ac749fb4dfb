import { expect, test, vi } from 'vitest'
import { answersTo, asking, rowsToAsk } from '../../../test/conformance/wrapper.ts'
import { minimize } from '../minimize/minimize.ts'
import { functionObjective } from '../objectives/function.ts'
import { cached } from './cached.ts'
import { type CallRecord, logged } from './logged.ts'

const sum = (x: Float64Array): number => x.reduce((total, each) => total + each, 0)

test('writes one record per row, in the order of rows, when all are answered', async () => {
  const records: CallRecord[] = []
  const inner = functionObjective(
    async (x, { row }) => {
      expect(records).toHaveLength(0)
      await new Promise((resolve) => setTimeout(resolve, (7 * row) % 3))
      if (row === 41) throw new Error('burnt')
      return sum(x)
    },
    { dim: 3, concurrency: 3 },
  )
  const queries = { ...rowsToAsk(3), original: (row: number) => 40 + row }
  await answersTo(logged(inner, { write: (record) => void records.push(record) }), queries)
  expect(records).toEqual([
    { iteration: 7, row: 40, sample: 100, point: Float64Array.of(0, 0, 0), value: 0, failed: undefined, cached: false },
    {
      iteration: 7,
      row: 41,
      sample: 101,
      point: Float64Array.of(1, 10, 100),
      value: Number.NaN,
      failed: 'burnt',
      cached: false,
    },
    {
      iteration: 7,
      row: 42,
      sample: 102,
      point: Float64Array.of(2, 20, 200),
      value: 222,
      failed: undefined,
      cached: false,
    },
  ])
})

test('says which answers nobody was asked for', async () => {
  const records: CallRecord[] = []
  const objective = logged(cached(functionObjective(sum, { dim: 3 })), { write: (record) => void records.push(record) })
  await answersTo(objective, rowsToAsk(2))
  await answersTo(objective, rowsToAsk(3))
  expect(records.map((record) => record.cached)).toEqual([false, false, true, true, false])
})

test('has a record for every query a run counts', async () => {
  const records: CallRecord[] = []
  const objective = logged(functionObjective(sum, { dim: 2 }), { write: (record) => void records.push(record) })
  const { queries, history } = await minimize(objective, [1, 2], { maxQueries: 100 })
  expect(records).toHaveLength(queries)
  expect(records.find(({ iteration, row }) => iteration === 2 && row === 0)?.value).toBe(history[1]?.value)
})

test('waits for a write that returns a promise, one record after the other', async () => {
  const steps: string[] = []
  const write = async ({ row }: CallRecord): Promise<void> => {
    steps.push(`begin ${row}`)
    await null
    steps.push(`end ${row}`)
  }
  await answersTo(logged(functionObjective(sum, { dim: 3 }), { write }), rowsToAsk(2))
  expect(steps).toEqual(['begin 0', 'end 0', 'begin 1', 'end 1'])
})

test.each<[string, () => void | Promise<void>]>([
  ['throws', () => raise()],
  ['rejects', async () => raise()],
])('a write that %s ends the run with an error that says so, whatever the policy', async (_, write) => {
  const objective = logged(functionObjective(sum, { dim: 2 }), { write })
  await expect(minimize(objective, [1, 2], { failures: 'skip' })).rejects.toMatchObject({
    code: 'storage-failed',
    message: 'logged could not save a query: disk full',
    cause: new Error('disk full'),
  })
})

test('writes nothing of what was cut short: it counts nowhere', async () => {
  const controller = new AbortController()
  const write = vi.fn()
  const inner = functionObjective(
    async (x) => {
      controller.abort()
      return sum(x)
    },
    { dim: 3 },
  )
  await asking(logged(inner, { write }), rowsToAsk(4), controller.signal).work
  expect(write).not.toHaveBeenCalled()
})

test('closes the log after the objective, whatever becomes of that', async () => {
  const closed: string[] = []
  const objective = {
    ...functionObjective(sum, { dim: 3 }),
    close: () => {
      closed.push('objective')
      raise()
    },
  }
  const log = { write: () => undefined, close: () => void closed.push('log') }
  await expect(logged(objective, log).close?.()).rejects.toThrow('disk full')
  expect(closed).toEqual(['objective', 'log'])
})

function raise(): never {
  throw new Error('disk full')
}
