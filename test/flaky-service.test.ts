import { describe, expect, test } from 'vitest'
import { flakyRun } from './servers/flaky-run.ts'

describe.concurrent.each([
  ['http', 150],
  ['open-inference', 150],
] as const)('a run on a flaky service: %s, %i queries', (kind, maxQueries) => {
  test('ends where the fault-free run ends, bit for bit, with the same count and its retries reported', async () => {
    const { plain, flaky, faults, requests } = await flakyRun(kind, maxQueries, 11)
    expect(flaky).toEqual({ ...plain, retries: flaky.retries })
    expect(flaky.failures.count).toBe(0)
    // Every kind of fault was met, and each of them cost a retry and no query.
    const { passed, ...met } = faults
    for (const [fault, count] of Object.entries(met)) expect([fault, count > 0]).toEqual([fault, true])
    expect(flaky.retries).toBeGreaterThan(0.2 * maxQueries)
    expect(passed).toBeGreaterThanOrEqual(flaky.queries)
    expect(requests).toBeGreaterThanOrEqual(flaky.queries + flaky.retries)
  })
})
