import { expect, test } from 'vitest'
import { powerCuts } from './power-cuts.ts'

test.each([
  ['whole', Infinity],
  ['that drops records', 1],
])('a run with a journal %s survives power cuts, unsynced writes lost, torn or out of order', async (_, limit) => {
  const account = await powerCuts(20, limit)
  expect(account.cuts).toBeGreaterThan(20)
  expect(account.repeated).toBeGreaterThan(0)
})
