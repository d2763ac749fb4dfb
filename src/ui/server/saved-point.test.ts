import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openRun } from '../../work/index.ts'
import { savedPoint } from './saved-point.ts'

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
