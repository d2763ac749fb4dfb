import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LongTrace, longTrace } from '../end-to-end/long-trace.ts'
import { onlyObject } from '../end-to-end/zeroth.ts'

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

/** Megabytes: the trace, and what a program may use for objects that reads it. */
const [size, heap] = [48, 40]

describe('a trace that does not fit into memory', () => {
  let trace: LongTrace
  beforeAll(async () => {
    trace = await longTrace(size * 2 ** 20)
  })
  afterAll(() => trace.remove())

  const content = (name: string) => readFileSync(join(trace.cwd, name))

  test('is listed and shown', async () => {
    const { iterations } = trace
    const list = await trace.call(['list', '--json'], heap)
    expect(onlyObject(list).runs).toMatchObject([{ iterations, queries: 8 * iterations }])
    expect(onlyObject(await trace.call(['show', 'long', '--json'], heap))).toMatchObject({ iterations })
  })

  test('is reported, and the page says how much of it is drawn', async () => {
    expect(await trace.call(['report', 'long', '--out', 'page'], heap)).toMatchObject({ code: 0, stderr: '' })
    const total = trace.iterations.toLocaleString('en')
    expect(content('page/report.html').toString()).toMatch(new RegExp(`figures show [\\d,]+ of ${total} iterations`))
  })

  test('is exported whole', async () => {
    for (const name of ['h.csv', 'h.json', 'h.parquet']) {
      expect(await trace.call(['export', 'long', '--out', name], heap)).toMatchObject({ code: 0, stderr: '' })
    }
    const rows = content('h.csv').toString().trimEnd().split('\n')
    const { history } = JSON.parse(content('h.json').toString())
    const bytes = content('h.parquet')
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
    const objects = await parquetReadObjects({ file })
    expect([rows.length - 1, history.best.length, objects.length]).toEqual(Array(3).fill(trace.iterations))
    const last = objects.at(-1) as { iteration: bigint; queries: bigint; value: number; best: number; seconds: number }
    const { iteration, queries, value, best, seconds } = last
    expect(rows.at(-1)).toBe([iteration, queries, value, best, seconds].join(','))
    expect([history.value.at(-1), history.seconds.at(-1)]).toEqual([value, seconds])
  })
})
