import { expect, test } from 'vitest'
import { parsed } from '../../../../test/report/page-check.ts'
import { drawingDocument } from '../drawing-document.ts'
import { textOf } from '../markup.ts'
import { curveStyle } from '../palette.ts'
import { convergenceChart } from './charts.ts'
import { legend, legendHeight } from './plot-chart.ts'

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

const width = 394
const entries = (count: number, label = 'name') =>
  Array.from({ length: count }, (_, i) => ({ label: `${label} ${i}`, style: curveStyle(i) }))
const places = (count: number, label?: string, others?: string): (string | null)[] =>
  [
    ...parsed(`<svg>${textOf(legend({ entries: entries(count, label), others, width }))}</svg>`).querySelectorAll(
      'g[transform]',
    ),
  ].map((item) => item.getAttribute('transform'))

test('a single line needs no legend', () => {
  expect(places(1)).toEqual([])
  expect(legendHeight({ entries: entries(1), width })).toBe(0)
})

test('short names stand side by side in even rows, long ones below each other', () => {
  expect(places(4)).toEqual(['translate(0,8)', 'translate(197,8)', 'translate(0,27)', 'translate(197,27)'])
  expect(places(2, 'a name that takes half of the line')).toEqual(['translate(0,8)', 'translate(0,27)'])
  expect(legendHeight({ entries: entries(4), width })).toBe(46)
})

test('lines beyond those that can be told apart share one entry', () => {
  expect(places(40, 'name', '28 more')).toHaveLength(13)
})
