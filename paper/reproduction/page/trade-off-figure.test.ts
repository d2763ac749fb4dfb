import { expect, test } from 'vitest'
import { unbalanced } from '../../../test/report/page-check.ts'
import { tradeOffFigure } from './trade-off-figure.ts'

const point = (x: number, y: number) => ({ x, y, label: '', text: `at ${x}`, isHollow: false, isLarge: false })
const name = { file: 'f', caption: 'A caption' }

test('panels stand side by side, and words say every point that is drawn', () => {
  const [figure] = tradeOffFigure(
    [
      { title: 'Here', series: [{ label: 'a', style: 0, points: [point(1, 2), point(Number.NaN, 1)] }] },
      { title: 'There', series: [{ label: 'a', style: 0, points: [point(3, 4)] }] },
      { title: 'Nowhere', series: [{ label: 'a', style: 0, points: [point(0, 4)] }] },
    ],
    name,
  )
  const svg = figure?.chart.file ?? ''
  expect(unbalanced(svg)).toEqual([])
  expect(svg).toContain('<desc id="f-desc">Here: at 1. There: at 3.</desc>')
  expect(svg).not.toContain('Nowhere')
})

test('nothing is drawn from nothing', () => {
  expect(tradeOffFigure([], name)).toEqual([])
  expect(tradeOffFigure([{ title: 'x', series: [] }], name)).toEqual([])
})
