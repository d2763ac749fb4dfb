import { expect, test } from 'vitest'
import { parsed } from '../../../test/report/page-check.ts'
import { drawingDocument } from '../drawing-document.ts'
import { textOf } from '../markup.ts'
import { boxChart, boxOf } from './box-chart.ts'
import type { ChartData } from './chart-data.ts'
import { chartTable } from './chart-table.ts'
import { convergenceChart } from './convergence-chart.ts'
import { shareScale } from './value-scale.ts'

const text = { document: drawingDocument(), id: 'c', title: 'T', description: 'D', xLabel: 'queries', yLabel: 'value' }
const style = { color: 'var(--c1)' }
const rows = (data: ChartData | undefined): (string | null)[][] =>
  [...parsed(textOf(chartTable(data as ChartData, 'Values'))).querySelectorAll('tr')].map((row) =>
    [...row.children].map((cell) => cell.textContent),
  )

test('the table of a chart of lines has a row per tick and one for the end, with bands in brackets', () => {
  const x = Float64Array.of(0, 300, 1100)
  const [y, low, high] = [Float64Array.of(8, 0.25, 1 / 3), Float64Array.of(8, 0.125, 0.1), Float64Array.of(8, 0.5, 0.5)]
  const { data } = convergenceChart(
    [
      { label: 'one', style, curve: { x, y } },
      { label: 'two', style, curve: { x: x.map((each) => each + 100), y, low, high } },
    ],
    text,
  )
  expect(rows(data)).toEqual([
    ['queries', 'one', 'two'],
    ['0', '8', '–'],
    ['500', '0.25', '0.25 (0.125 to 0.5)'],
    ['1,000', '0.25', '0.25 (0.125 to 0.5)'],
    ['1,200', '0.33333', '0.33333 (0.1 to 0.5)'],
  ])
})

test('shares are in percent', () => {
  const curve = { x: Float64Array.of(0, 10), y: Float64Array.of(0, 0.125) }
  const { data } = convergenceChart([{ label: 'one', style, curve }], { ...text, scale: shareScale })
  expect(rows(data).at(-1)).toEqual(['10', '12.5\u00a0%'])
})

test('the table of a chart of boxes has the median and the quartiles of each place by its name', () => {
  const boxes = [undefined, boxOf([1, 2, 3, 4, 5])]
  const { data } = boxChart([{ label: 'one', style, boxes }], {
    ...text,
    xLabel: 'when',
    places: ['first', 'last'],
    dots: 'all',
    scale: { type: 'linear', domain: [0, 5], ticks: [] },
  })
  expect(rows(data)).toEqual([
    ['when', 'one'],
    ['first', '–'],
    ['last', '3 (2 to 4)'],
  ])
})
