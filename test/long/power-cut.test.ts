import { expect, test } from 'vitest'
import { powerCuts } from '../run-store/power-cuts.ts'

test.each([
  ['whole', Infinity],
  ['that drops records', 1],
])('500 runs with a journal %s survive power cuts', async (kind, limit) => {
  const { cuts, repaired, repeated } = await powerCuts(500, limit)
  process.stdout.write(
    `a journal ${kind}: ${cuts} power cuts, ${repeated} queries asked again, ${repaired} runs repaired\n`,
  )
  expect(cuts).toBeGreaterThan(500)
  expect(repeated).toBeGreaterThan(0)
})
