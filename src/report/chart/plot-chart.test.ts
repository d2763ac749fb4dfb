import { expect, test } from 'vitest'
import { parsed } from '../../../test/report/page-check.ts'
import { drawingDocument } from '../drawing-document.ts'
import { textOf } from '../markup.ts'
import { curveStyle } from '../palette.ts'
import { convergenceChart } from './convergence-chart.ts'

test('a chart has no style of its own, inline or not, and no names on groups: policies and screen readers refuse them', () => {
  const document = drawingDocument()
  const text = { document, id: 'c', title: 'T', description: 'D', xLabel: 'x', yLabel: 'y', target: 1.5 }
  const curve = {
    x: Float64Array.of(0, 1),
    y: Float64Array.of(2, 1),
    low: Float64Array.of(1, 1),
    high: Float64Array.of(3, 1),
  }
  const drawn = parsed(textOf(convergenceChart([{ label: 'one', style: curveStyle(0), curve }], text).inline))
  expect(drawn.querySelectorAll('style, [style], g[aria-label]')).toHaveLength(0)
  expect([...drawn.querySelectorAll('[data-mark]')].map((group) => group.getAttribute('data-mark'))).toEqual([
    'y-grid',
    'y-axis tick label',
    'x-axis tick label',
    'rule',
    'area',
    'line',
    'rule',
    'text',
  ])
})
