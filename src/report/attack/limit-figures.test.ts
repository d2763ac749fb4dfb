import { expect, test } from 'vitest'
import { samplePage } from '../../../test/attacks/sample-page.ts'
import { sampleReport } from '../../../test/attacks/sample-report.ts'
import { inaccessible, parsed, unbalanced } from '../../../test/report/page-check.ts'
import type { BaselineComparison } from '../../attacks/records.ts'
import { attackPage } from './attack-page.ts'

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
