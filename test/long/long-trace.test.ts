import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LongTrace, longTrace } from '../end-to-end/long-trace.ts'

const gigabytes = 2

let trace: LongTrace
beforeAll(async () => {
  trace = await longTrace(gigabytes * 2 ** 30)
}, 600_000)
afterAll(() => trace.remove())

test.each([
  [['list']],
  [['show', 'long']],
  [['report', 'long', '--out', 'page']],
  [['compare', 'long']],
  [['export', 'long', '--out', 'h.csv']],
  [['export', 'long', '--out', 'h.parquet']],
  [['export', 'long', '--out', 'h.json']],
])('zeroth %s takes little memory for a trace of gigabytes', async (args) => {
  const { code, stderr, seconds, peak } = await trace.call(args, 96)
  const written = args.find((each) => each.startsWith('h.'))
  const size = written === undefined ? '' : `, ${(statSync(join(trace.cwd, written)).size / 1e9).toFixed(2)} GB`
  process.stdout.write(`${args.join(' ')}: ${seconds.toFixed(1)} s, ${Math.round(peak)} MB at most${size}\n`)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(peak).toBeLessThan(400)
})
