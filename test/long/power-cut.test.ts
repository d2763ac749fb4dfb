import { expect, test } from 'vitest'
import { powerCuts } from '../run-store/power-cuts.ts'

test.each([
  ['whole', Infinity, false],
  ['that drops records', 1, false],
  ['synced beside the loop', Infinity, true],
  ['that drops records, synced beside the loop', 1, true],
])('500 runs with a journal %s survive power cuts', async (kind, limit, beside) => {
  const { cuts, repeated } = await powerCuts(500, limit, beside)
  process.stdout.write(`a journal ${kind}: ${cuts} power cuts, ${repeated} queries asked again\n`)
  expect(cuts).toBeGreaterThan(500)
  expect(repeated).toBeGreaterThan(0)
})
