import { expect, test } from 'vitest'
import { drawingDocument } from '../../../src/app/report/drawing-document.ts'
import { parsed, unbalanced } from '../../../test/report/page-check.ts'
import { type TradeOffPoint, tradeOffChart } from './trade-off-chart.ts'

const text = {
  document: drawingDocument(),
  id: 't',
  title: 'A title',
  description: 'Words.',
  xLabel: 'queries',
  yLabel: 'distortion',
}
const point = (x: number, y: number, more: Partial<TradeOffPoint> = {}): TradeOffPoint => ({
  x,
  y,
  label: String(x),
  text: `${x} for ${y}`,
  isHollow: false,
  isLarge: false,
  ...more,
})
const dots = (svg: string) => [...parsed(svg).querySelectorAll('g[data-mark="dot"] circle')]
const texts = (svg: string) => [...parsed(svg).querySelectorAll('text')].map(({ textContent }) => textContent)

test('a method is a curve in its colour, its points say what they are when pointed at', () => {
  const { file } = tradeOffChart(
    [
      { label: 'one', style: 0, points: [point(10, 5), point(100, 2), point(1000, 1)] },
      { label: 'two', style: 8, points: [point(20, 50), point(300, 20)] },
    ],
    text,
  )
  expect(unbalanced(file)).toEqual([])
  expect(parsed(file).querySelectorAll('g[data-mark="line"] path')).toHaveLength(2)
  expect(dots(file).map((dot) => dot.querySelector('title')?.textContent)).toEqual([
    '20 for 50',
    '300 for 20',
    '10 for 5',
    '100 for 2',
    '1000 for 1',
  ])
  expect(texts(file)).toEqual(expect.arrayContaining(['one', 'two', 'queries', 'distortion', '10', '1,000']))
})

test('points of too little success are hollow, the reported one is larger', () => {
  const { file } = tradeOffChart(
    [{ label: 'one', style: 0, points: [point(10, 5, { isHollow: true }), point(100, 2, { isLarge: true })] }],
    text,
  )
  // The larger ones are drawn first, so that they hide none.
  const [large, hollow] = dots(file)
  expect(hollow?.getAttribute('fill')).toBe('var(--paper)')
  expect(large?.getAttribute('fill')).toBe('var(--c1)')
  expect([large, hollow].map((dot) => dot?.getAttribute('r'))).toEqual(['5', '3.2'])
})

test('a method without a style is points that bear its name, and is not in the legend', () => {
  const { file } = tradeOffChart(
    [
      { label: 'curve', style: 0, points: [point(10, 5), point(20, 4)] },
      { label: 'line', style: 1, points: [point(10, 50), point(20, 40)] },
      { label: 'SimBA', points: [point(100, 9, { label: '' })] },
    ],
    text,
  )
  expect(texts(file).filter((each) => each === 'SimBA')).toHaveLength(1)
  expect(file).toContain('fill="var(--ink)"')
})

test('what has no place on logarithmic axes is left out; single points and equal ones are drawn at finite places', () => {
  for (const points of [
    [point(10, 5)],
    [point(10, 5), point(10, 5)],
    [point(Number.NaN, 5), point(10, 0), point(10, 5), point(Infinity, 1)],
  ]) {
    const { file } = tradeOffChart([{ label: 'one', style: 0, points }], text)
    expect(file).not.toMatch(/NaN|Infinity/)
    expect(dots(file).length).toBe(points.filter(({ x, y }) => x > 0 && x < 100 && y > 0).length)
  }
})
