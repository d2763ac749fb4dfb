import { expect, test } from 'vitest'
import { fuzzSpecs } from '../specs/fuzz.ts'

test('10,000 damaged specs compile or are refused in one line that names the file', async () => {
  const counts = await fuzzSpecs(10_000, 20_261_115)
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(10_000)
})
