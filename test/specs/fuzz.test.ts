import { expect, test } from 'vitest'
import { fuzzSpecs } from './fuzz.ts'

test('1,000 damaged specs compile or are refused in one line that names the file', async () => {
  const counts = await fuzzSpecs(1000, 1)
  // Otherwise the damage would be too small, or too great, to test anything.
  expect(counts.compiled).toBeGreaterThan(50)
  expect(counts['invalid-option']).toBeGreaterThan(200)
  expect(counts['unknown-option']).toBeGreaterThan(50)
  expect(counts['invalid-data']).toBeGreaterThan(100)
})
