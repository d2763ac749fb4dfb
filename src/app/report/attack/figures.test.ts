import fc from 'fast-check'
import { expect, test } from 'vitest'
import { samplePage } from '../../../../test/attacks/sample-page.ts'
import { sampleReport, sampleUniversal } from '../../../../test/attacks/sample-report.ts'
import { inaccessible, parsed, unbalanced } from '../../../../test/report/page-check.ts'
import type { BaselineComparison } from '../../../robustness/records.ts'
import { type Curve, valueAt } from '../chart/curve.ts'
import { attackPage } from './attack-page.ts'
import { styledRuns } from './attack-run.ts'
import { distortionCurve, iterationPlaces, shareCurve, successCurve } from './figures.ts'

const points = (curve: Curve | undefined) => curve && [...curve.x].map((x, i) => [x, curve.y[i]])
const run = (report = sampleReport()) => {
  const [only] = styledRuns([{ name: 'a', problem: '', report }])
  if (only === undefined) throw new Error('no run')
  return only
}

test('steps up at every value, by those that lie there, to the share that is reached at all', () => {
  expect(points(shareCurve([3, 1, 3, Infinity], 5))).toEqual([
    [0, 0],
    [1, 0.25],
    [3, 0.75],
    [5, 0.75],
  ])
  expect(points(shareCurve([Infinity, Number.NaN], 5))).toEqual([
    [0, 0],
    [5, 0],
  ])
})

test('the share fooled after so many queries is that of the first successes among the attacked', () => {
  const report = sampleReport({ images: 10, fooled: 7, skipped: 3 })
  const curve = successCurve(run(report)) as Curve
  const firsts = report.images.flatMap(({ first }) => (first === null ? [] : [first.queries]))
  for (const at of [0, 300, 600, 1101]) {
    expect(valueAt(curve, at)).toBeCloseTo(firsts.filter((queries) => queries <= at).length / 10, 12)
  }
  expect([curve.x.at(-1), curve.y.at(-1)]).toEqual([1101, 0.7])
})

test('of several limits, the line ends with the queries within the largest one', () => {
  const report = sampleReport({ images: 4, fooled: 4 })
  const images = report.images.map((image, i) => {
    const within = { status: image.status, from: 'attack', success: image.first } as const
    const limits = [
      { ...within, linf: 0.2, queries: 1500 + i },
      { ...within, linf: 0.1, queries: 700 },
    ]
    return { ...image, queries: 2200 + i, limits }
  })
  expect(successCurve(run({ ...report, images }))?.x.at(-1)).toBe(1503)
})

test('the share fooled within a distortion is that of the best successes', () => {
  const report = sampleReport({ images: 10, fooled: 7 })
  const curve = distortionCurve(run(report), 9) as Curve
  const sizes = report.images.flatMap(({ best }) => (best === null ? [] : [best.l2]))
  expect(valueAt(curve, 1)).toBeCloseTo(sizes.filter((size) => size <= 1).length / 10, 12)
  expect([curve.x.at(-1), curve.y.at(-1)]).toEqual([9, 0.7])
})

test('a shared perturbation has its own course, and no distortion per image', () => {
  const report = sampleUniversal()
  const curve = successCurve(run(report)) as Curve
  expect([...curve.y]).toEqual(report.universal?.curve.fooled)
  expect(distortionCurve(run(report), 9)).toBeUndefined()
})

test('without attacked images there is no curve', () => {
  const nothing = run(sampleReport({ images: 0, skipped: 4 }))
  expect(successCurve(nothing)).toBeUndefined()
  expect(distortionCurve(nothing, 1)).toBeUndefined()
})

test('about ten round iterations, and the last where it is far from them', () => {
  expect(iterationPlaces(1000)).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900, 1000])
  expect(iterationPlaces(909)).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900])
  expect(iterationPlaces(199)).toEqual([20, 40, 60, 80, 100, 120, 140, 160, 180, 199])
  expect(iterationPlaces(3)).toEqual([1, 2, 3])
  expect(iterationPlaces(0)).toEqual([])
})

test('never none, never many, never beyond the last', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e7 }), (last) => {
      const places = iterationPlaces(last)
      expect(places.length).toBeGreaterThanOrEqual(Math.min(last, 5))
      expect(places.length).toBeLessThanOrEqual(12)
      expect(places.at(-1)).toBeLessThanOrEqual(last)
      expect(places).toEqual([...new Set(places)].sort((a, b) => a - b))
      expect(places.every(Number.isInteger)).toBe(true)
    }),
  )
})

const limit = (linf: number, robustAccuracy: number) => ({
  linf,
  robustAccuracy,
  robustAccuracyInterval: [robustAccuracy / 2, (1 + robustAccuracy) / 2] as const,
  fooled: 3,
  robust: 4,
  unmeasured: 1,
  queries: 1234,
})

const several = [limit(2 / 255, 0.75), limit(4 / 255, 0.5), limit(8 / 255, 0.25)]
const report = { ...sampleReport(), summary: { ...sampleReport().summary, limits: several } }

function pageOf(more: object = {}) {
  const page = samplePage()
  return attackPage({ ...page, runs: page.runs.slice(0, 1).map((run) => ({ ...run, report, ...more })) })
}

test('several limits have a figure with intervals and a table', () => {
  const { html, figures } = pageOf()
  expect(unbalanced(html)).toEqual([])
  expect(inaccessible(parsed(html))).toEqual([])
  expect(html).toContain('linf 8/255')
  expect(html).toContain('37.5\u00a0% to 87.5\u00a0%')
  expect(Object.keys(figures)).toContain('robust-accuracy-linf')
  expect(html).toContain('within linf 8/255')
})

test('the values of the figure are those of the table, at limits of many digits, too', () => {
  const section = parsed(pageOf().html).getElementById('limits')?.closest('section')
  const values = [...(section?.querySelectorAll('details tbody tr') ?? [])].map((row) => row.querySelector('td data'))
  expect(values.slice(1).map((value) => value?.getAttribute('value'))).toEqual(['0.75', '0.5', '0.25'])
  const data = JSON.parse(section?.querySelector('script')?.textContent ?? '')
  expect(data.series[0].x).toEqual(data.x.places.map(({ at }: { at: number }) => at))
})

test('success is said to be that within the largest of several limits', () => {
  const said = 'that is within the largest one'
  expect(attackPage(samplePage({ report })).html).toContain(said)
  expect(attackPage(samplePage()).html).not.toContain(said)
})

test('a page without several limits has none of it', () => {
  const { html } = attackPage(samplePage())
  expect(html).not.toContain('Robust accuracy against the limit')
})

test('a page says how the evaluation compares with its baseline, hostile titles shown as they are', () => {
  const comparison: BaselineComparison = {
    baseline: 'b.json',
    kind: 'worse',
    tolerance: 0,
    images: 4,
    limits: [
      {
        kind: 'worse',
        before: 0.5,
        now: 0.25,
        unmeasured: 0,
        regressions: [{ index: 0, title: '<img src=x onerror=alert(1)>', now: 'fooled' }],
        improved: 0,
      },
    ],
  }
  const { html } = pageOf({ comparison })
  expect(unbalanced(html)).toEqual([])
  expect(html).toContain('Baseline: robust accuracy 25\u00a0%, was 50\u00a0% over the 4 images in both: worse.')
  expect(parsed(html).body.textContent).toContain('No longer robust: <img src=x onerror=alert(1)>.')
  expect(html).not.toContain('<img src=x')
})
