import { describe, expect, test } from 'vitest'
import { flakyRun } from '../servers/flaky-run.ts'

describe.each(['http', 'open-inference'] as const)('a run of 10,000 queries on a flaky service: %s', (kind) => {
  test('ends where the fault-free run ends, bit for bit, with the same count and its retries reported', async () => {
    const { plain, flaky, faults } = await flakyRun(kind, 10_000, 12)
    expect(flaky).toEqual({ ...plain, retries: flaky.retries })
    expect(flaky.failures.count).toBe(0)
    expect(flaky.retries).toBeGreaterThan(3000)
    for (const [fault, count] of Object.entries(faults)) expect([fault, count > 200]).toEqual([fault, true])
  })
})
