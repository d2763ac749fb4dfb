import { expect, test } from 'vitest'
import { fuzzSpecs } from './fuzz.ts'

// 10,000: test/long/fuzzed-specs.test.ts.
test('300 damaged specs compile or are refused in one line that names the file', async () => {
  const counts = await fuzzSpecs(300, 1)
  // Otherwise the damage would be too small, or too great, to test anything.
  expect(counts.compiled).toBeGreaterThan(15)
  expect(counts['invalid-option']).toBeGreaterThan(60)
  expect(counts['unknown-option']).toBeGreaterThan(15)
  expect(counts['invalid-data']).toBeGreaterThan(30)
})
