import { beforeAll, describe, expect, test } from 'vitest'
import { inaccessible, parsed, unbalanced } from '../../../../test/report/page-check.ts'
import { sampleRun } from '../../../../test/report/sample-run.ts'
import { randomUniform } from '../../../optimizer/kernels/random.ts'
import type { TriedPoint, TriedPoints } from '../../jobs/tuned.ts'
import type { ReportPage } from '../page/document.ts'
import { runPage } from './run-page.ts'

const variables = {
  threads: { from: 1, to: 16, step: 1 },
  rate: { from: 1e-4, to: 1, scale: 'log' },
  mode: { choices: ['<b>', 'fast'] },
} as const

/** Settings of a program that is fastest at 8 threads; those of 16 fail, and those above 12 break a limit. */
function settings(count: number): TriedPoint[] {
  return Array.from({ length: count }, (_, row) => {
    const u = (i: number): number => randomUniform({ seed: 5, iteration: 0, row }, 'data', i)
    const [threads, power, mode] = [1 + Math.floor(16 * u(0)), -4 * u(1), Math.floor(2 * u(2))]
    const status = threads === 16 ? 'failed' : threads > 12 ? 'infeasible' : 'ok'
    const value = 50 - (threads - 8) * (threads - 8) - (power + 2) * (power + 2) - 5 * mode
    return {
      ...{ query: row + 1, iteration: row + 1, status, at: row + 1 + 0.5 * (row % 2) },
      values: [threads, 10 ** power, mode === 0 ? '<b>' : 'fast'],
      numbers: Float64Array.of(threads, 10 ** power, mode),
      value: status === 'failed' ? Number.NaN : value,
      reason: status === 'ok' ? undefined : `why ${row}`,
      details: [value, 0, row % 2 === 0 ? 1 : 1.4, threads],
    }
  })
}

const tried = (points: readonly TriedPoint[], maximize = true): TriedPoints => ({
  ...{ names: Object.keys(variables), variables, maximize, points, missing: 0 },
  details: ['measured', 'spread', 'seconds', 'json:.size <= 12'],
})
const pageOf = (points: readonly TriedPoint[], maximize = true): ReportPage =>
  runPage([{ ...sampleRun(), points: { tried: tried(points, maximize), command: './bench -t 8 <b>' } }], {
    title: 'tuned',
  })

describe('the page of a run with named variables', () => {
  let page: ReportPage
  let document: Document
  beforeAll(() => {
    page = pageOf(settings(60))
    document = parsed(page.html)
  })
  const svg = (name: string): Element => parsed(page.figures[name] ?? '').documentElement
  const marks = (name: string, kind: string): Element[] => [...svg(name).querySelectorAll(`[data-mark=${kind}] > *`)]

  test('has a figure of each kind, and can be read by everyone', () => {
    const own = ['history', 'importance', 'contour', 'slice-1', 'slice-2', 'slice-3', 'parallel', 'timeline', 'spread']
    expect(Object.keys(page.figures)).toEqual(expect.arrayContaining(own))
    expect(unbalanced(page.html)).toEqual([])
    expect(inaccessible(document)).toEqual([])
    expect(document.querySelector('#tried ~ pre')?.textContent).toBe('./bench -t 8 <b>')
    expect(page.html).not.toContain('<b>')
    expect(Object.values(page.figures).join('')).not.toMatch(/NaN|undefined|<b>/)
  })

  test('marks every setting in its turn, those that broke a limit and those that failed by other signs', () => {
    const all = settings(60)
    const count = (status: string): number => all.filter((each) => each.status === status).length
    expect([count('failed'), count('infeasible')].every((each) => each > 0)).toBe(true)
    const groups = [...svg('history').querySelectorAll('[data-mark=dot]')].map((group) => group.children.length)
    expect(groups).toEqual([count('ok'), count('infeasible'), count('failed')])
    expect(marks('parallel', 'line')).toHaveLength(count('ok'))
    expect(marks('timeline', 'rect')).toHaveLength(60)
  })

  test('knows which variable matters most and where its best value lies', () => {
    const { series, x } = JSON.parse(
      [...document.querySelectorAll('figure')]
        .find((figure) => figure.textContent?.includes('total index'))
        ?.querySelector('script')?.textContent ?? '{}',
    )
    expect(x.places.map(({ text }: { text: string }) => text)).toEqual(['threads', 'mode', 'rate'])
    expect(series[0].y[0]).toBeGreaterThan(0.8)
  })

  test('says that shares are of logarithms where all values are positive, and only there', () => {
    const positive = settings(60).map((each) => ({ ...each, value: 200 - each.value }))
    const said = 'The share of the variance of the logarithm of the value'
    expect([pageOf(positive, false), page].map(({ html }) => html.includes(said))).toEqual([true, false])
  })

  test('lists all settings, best first, then those without a value with their reasons', () => {
    const table = [...document.querySelectorAll('table')].find((each) => each.textContent?.includes('All settings'))
    const rows = [...(table?.querySelectorAll('tbody tr') ?? [])].map((row) =>
      [...row.children].map(({ textContent }) => textContent ?? ''),
    )
    expect(rows).toHaveLength(60)
    const values = rows.map(([, value]) => Number(value)).filter((_value, i) => rows[i]?.at(-1) === '')
    expect(values).toEqual(values.toSorted((a, b) => b - a))
    expect(rows.at(-1)?.at(-1)).toMatch(/^why \d+$/)
  })
})

test('few settings are shown without a model, and none that has a value as none', () => {
  const few = pageOf(settings(5))
  expect(Object.keys(few.figures)).toEqual(expect.arrayContaining(['history', 'parallel', 'spread']))
  expect(few.figures.importance).toBeUndefined()
  const failed = settings(60).filter(({ status }) => status === 'failed')
  const { html, figures } = pageOf(failed)
  expect(Object.keys(figures)).not.toContain('history')
  expect(html).toContain('No setting has a value.')
  expect(html).toContain(failed[0]?.reason)
})
