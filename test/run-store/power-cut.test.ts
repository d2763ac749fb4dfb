import { expect, test } from 'vitest'
import { powerCuts } from './power-cuts.ts'

test.each([
  ['whole', Infinity, false],
  ['that drops records', 1, false],
  ['synced beside the loop', Infinity, true],
  ['that drops records, synced beside the loop', 1, true],
])(
  'a run with a journal %s survives power cuts, unsynced writes lost, torn or out of order',
  async (_, limit, beside) => {
    const account = await powerCuts(20, limit, beside)
    expect(account.cuts).toBeGreaterThan(20)
    expect(account.repeated).toBeGreaterThan(0)
  },
)
