import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openRun } from '../../jobs/index.ts'
import type { ItemRow } from '../api.ts'
import { classesOf, methodsOf, savedPoint, selectItems } from './live-jobs.ts'

const item = (index: number, changes: Partial<ItemRow>): ItemRow => ({
  ...{ index, title: String(index), status: 'fooled', queries: 10, methods: ['square'], pictures: [] },
  ...changes,
})
const items = [
  item(0, { before: 'cat', labelName: 'cat', predictedName: 'dog', firstQueries: 30, l2: 0.1 }),
  item(1, { before: 'dog', labelName: 'dog', status: 'robust', methods: ['square', 'simba'] }),
  item(2, { before: 'cat', labelName: 'cat', predictedName: 'frog', firstQueries: 10, l2: 0.5, methods: ['simba'] }),
  item(3, { status: 'failed', reason: 'no answer', label: 10 }),
  item(4, { label: 9, predicted: 2 }),
]
const indices = (query: Partial<Parameters<typeof selectItems>[1]>) =>
  selectItems(items, { count: 60, ...query }).items.map(({ index }) => index)

test('images are chosen by result and by class: what they are, or what they are taken for', () => {
  expect(indices({ status: 'robust' })).toEqual([1])
  expect(indices({ class: 'dog' })).toEqual([0, 1])
  expect(indices({ class: 'cat', status: 'fooled' })).toEqual([0, 2])
  expect(indices({ class: '2' })).toEqual([4])
})

test('images are chosen by method: the one that fooled them, or those they withstood', () => {
  expect(indices({ method: 'simba' })).toEqual([1, 2])
  expect(indices({ method: 'simba', status: 'fooled' })).toEqual([2])
  expect(methodsOf(items)).toEqual(['square', 'simba'])
})

test('images are ordered by number, queries or change; those without come last', () => {
  expect(indices({})).toEqual([0, 1, 2, 3, 4])
  expect(indices({ sort: 'queries' })).toEqual([2, 0, 1, 3, 4])
  expect(indices({ sort: 'distance' })).toEqual([0, 2, 1, 3, 4])
  for (const sort of ['nonsense', '__proto__', 'constructor']) expect(indices({ sort })).toEqual([0, 1, 2, 3, 4])
})

test('a page begins behind the last image of the one before, whatever has come meanwhile', () => {
  expect(selectItems(items, { count: 2 })).toMatchObject({ total: 5, next: 1 })
  expect(selectItems(items, { count: 2, after: 1 })).toMatchObject({ items: [{ index: 2 }, { index: 3 }], next: 3 })
  expect(selectItems(items, { count: 2, after: 3 })).toMatchObject({ items: [{ index: 4 }], next: undefined })
})

test('classes are named once, numbers in their order', () => {
  expect(classesOf(items)).toEqual(['2', '9', '10', 'cat', 'dog', 'frog'])
})

const folder = mkdtempSync(join(tmpdir(), 'zeroth-saved-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the best point of a run that was stopped is the one it saved, in the units of its variables', async () => {
  const place = join(folder, 'named')
  const variables = { rate: { from: 1e-5, to: 0.1, scale: 'log' as const }, width: { from: 2, to: 4 } }
  const work = await openRun(place, {
    objective: 'rosenbrock',
    variables,
    solver: 'cma-es',
    maxQueries: 20_000,
    seed: 1,
  })
  expect(savedPoint(place)).toBeUndefined()
  const end = new AbortController()
  for await (const event of work.perform({ signal: end.signal })) if (event.type === 'progress') end.abort()
  const result = work.result()
  const { point = [], saved } = savedPoint(place) ?? {}
  expect(result?.queries).toBeLessThan(20_000)
  expect(saved).toEqual({ value: result?.value, queries: result?.queries })
  expect(Object.fromEntries(point.map(({ name, value }) => [name, value]))).toEqual(result?.variables)
})

test('a point that takes many bytes to read is left out', async () => {
  const place = join(folder, 'large')
  const work = await openRun(place, {
    objective: 'rosenbrock',
    dim: 300_000,
    solver: 'zo-sgd',
    maxQueries: 40,
    seed: 1,
  })
  for await (const _ of work.perform());
  expect(statSync(join(place, 'checkpoint-a')).size).toBeGreaterThan(4 << 20)
  expect(savedPoint(place)).toBeUndefined()
})
