import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { until } from './kill-runs.ts'
import { mortalServer, outageRun } from './outage.ts'
import { longestStop } from './stopped-work.ts'
import { start } from './zeroth.ts'

const cwd = mkdtempSync(join(tmpdir(), 'zeroth-outage-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

describe.concurrent('a server that is killed in the middle of an attack', () => {
  // Twenty moments, and a minute: test/long/outage.test.ts.
  test('and is back after 3 seconds is waited for: the same bits with default options', async () => {
    const { ended, result, isSame } = await outageRun(cwd, 'patient', { at: 12, seconds: 3 })
    expect(ended.code).toBe(0)
    expect(isSame).toBe(true)
    expect(ended.stderr).toMatch(
      /the model does not answer: waiting \(\d+ s of 180 s\): .*(ECONNREFUSED|closed|ECONNRESET)/,
    )
    expect(ended.stderr).toMatch(/the model answers again, after \d s/)
    const { failedQueries, retries } = result.summary
    expect(retries).toBeGreaterThan(0)
    expect(failedQueries).toBe(retries)
    expect(result.images.reduce((sum, image) => sum + image.failedQueries, 0)).toBe(failedQueries)
  })

  test('longer than the patience leaves images unfinished: exit code 1, and resume ends with the same bits', async () => {
    // The paper's method alone asks eleven queries in every iteration.
    const method = ['--solver', 'zo-adamm', '-O', 'secondMethod=false']
    const how = { at: 12, seconds: 4, options: ['--patience', '1'], method }
    const { ended, result, resumed } = await outageRun(cwd, 'impatient', how)
    expect(ended.code).toBe(1)
    expect(result.status).toBe('unfinished')
    expect(result.summary.unfinished).toBe(3)
    expect(result.summary.robustAccuracyBounds?.[0]).toBe(0)
    for (const image of result.images.filter(({ status }) => status !== 'skipped')) {
      expect(image).toMatchObject({ status: 'unfinished', stopReason: 'model-unreachable' })
      expect(image.queries % 11).toBe(0)
      expect(image.queries).toBeLessThan(67)
    }
    expect(ended.stderr).toContain('warning: 3 images did not finish: ')
    expect(ended.stderr).toMatch(
      /3 unfinished images; --allow-unfinished permits 0; zeroth resume .*impatient tries them/,
    )
    expect(resumed).toEqual({ code: 0, isSame: true })
  })

  test('is left at once by Ctrl-C, while it is waited for', async () => {
    const server = await mortalServer()
    try {
      const args = ['--model', `${server.url}/v2/models/digits`, '--images', 'digits', '--permitted', '--count', '2']
      const killed = new Promise<void>((resolve) => {
        let requests = 0
        server.hear(() => {
          if (++requests === 8) resolve()
        })
      })
      const { child, stderr, ended } = start(['attack', ...args, '--out', 'left'], { cwd })
      await killed
      await server.kill()
      await until(() => stderr().includes('does not answer: waiting'))
      const began = performance.now()
      child.kill('SIGINT')
      expect((await ended).code).toBe(130)
      expect(performance.now() - began).toBeLessThan(longestStop)
      await server.revive()
    } finally {
      await server.close()
    }
  })
})
