import { expect, test } from 'vitest'
import { killRuns, rows } from '../end-to-end/kill-runs.ts'

test.each(['synchronous', 'asynchronous', 'failing'])(
  'runs of a %s objective, killed at 200 random moments, end with the same bits',
  async (kind) => {
    const account = await killRuns(kind, 200)
    process.stdout.write(`${kind}: ${account.kills} kills, ${account.repeated} queries asked twice\n`)
    expect(account.kills).toBeGreaterThanOrEqual(200)
    expect(account.hashes).toHaveLength(1)
    expect(account.repeated).toBeLessThanOrEqual(account.kills * rows)
  },
)
