import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parsed, unbalanced } from '../../../test/report/page-check.ts'
import { drawingDocument } from '../drawing-document.ts'
import { curveStyle } from '../palette.ts'
import { type BoxSeries, type BoxText, boxChart, boxOf, drawnValues, evenly } from './box-chart.ts'
import { valueScale } from './value-scale.ts'

describe('a box', () => {
  test('has quartiles, and whiskers that reach 1.5 box lengths at most', () => {
    const box = boxOf([5, 1, 3, 2, 4, 100, -50])
    expect(box).toMatchObject({ count: 7, median: 3, lowerQuartile: 1.5, upperQuartile: 4.5, whiskers: [1, 5] })
    expect(box?.outliers).toEqual([-50, 100])
    expect(box?.values).toEqual([-50, 1, 2, 3, 4, 5, 100])
  })

  test('of one value is flat, and of none there is none', () => {
    expect(boxOf([7])).toMatchObject({ median: 7, lowerQuartile: 7, upperQuartile: 7, whiskers: [7, 7], outliers: [] })
    expect(boxOf([])).toBeUndefined()
    expect(boxOf([Number.NaN, Infinity])).toBeUndefined()
  })

  test('leaves out what is not finite', () => {
    expect(boxOf([Number.NaN, 1, Infinity, 3])).toMatchObject({ count: 2, median: 2 })
  })

  test('holds its whiskers outside of itself, and every value is between them or an outlier', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1 }), (values) => {
        const box = boxOf(values)
        if (box === undefined) throw new Error('no box')
        const [low, high] = box.whiskers
        expect(low).toBeLessThanOrEqual(box.lowerQuartile)
        expect(high).toBeGreaterThanOrEqual(box.upperQuartile)
        const within = values.filter((value) => value >= low && value <= high).length
        expect(within + box.outliers.length).toBe(values.length)
      }),
    )
  })
})

test('evenly keeps the first and the last, and all where they are few', () => {
  const sorted = Array.from({ length: 101 }, (_, i) => i)
  expect(evenly(sorted, 5)).toEqual([0, 25, 50, 75, 100])
  expect(evenly([1, 2], 5)).toEqual([1, 2])
})

const series = (index: number, ...values: number[][]): BoxSeries => ({
  label: `method ${index}`,
  style: curveStyle(index),
  boxes: values.map(boxOf),
})

const draw = (all: readonly BoxSeries[], changes: Partial<BoxText> = {}): string => {
  const dots = changes.dots ?? 'outliers'
  const scale = valueScale(drawnValues(all, dots))
  const text = {
    document: drawingDocument(),
    id: 'boxes',
    title: 'Boxes',
    description: 'Some boxes.',
    xLabel: 'x',
    yLabel: 'y',
  }
  return boxChart(all, { ...text, places: ['a', 'b'], dots, scale, ...changes }).file
}

const shapes = (svg: string, name: string): Element[] => [...parsed(svg).querySelectorAll(`g[data-mark="${name}"]`)]
const numbers = (elements: readonly Element[], name: string): number[] =>
  elements.flatMap((element) => [...element.children].map((child) => Number(child.getAttribute(name))))

describe('a chart of boxes', () => {
  test('draws a box per place and series, those of a place side by side', () => {
    const svg = draw([series(0, [1, 2, 3], [2, 3, 4]), series(1, [3, 4, 5], [4, 5, 6])])
    const boxes = shapes(svg, 'rect').filter((group) => group.getAttribute('fill') !== 'var(--paper)')
    const lefts = numbers(boxes, 'x')
    const widths = numbers(boxes, 'width')
    const order = [lefts[0], lefts[2], lefts[1], lefts[3]] as number[]
    expect(boxes).toHaveLength(2)
    expect(order).toEqual([...order].sort((a, b) => a - b))
    order.slice(1).forEach((left, i) => {
      expect(left).toBeGreaterThan((order[i] as number) + (widths[0] as number))
    })
  })

  test('leaves a place empty where a series has no values', () => {
    const svg = draw([series(0, [1, 2, 3], []), series(1, [3, 4, 5], [4, 5, 6])])
    const boxes = shapes(svg, 'rect').filter((group) => group.getAttribute('fill') !== 'var(--paper)')
    expect(boxes.map((group) => group.children.length)).toEqual([1, 2])
  })

  test('has a dot per outlier, or per value where all are wanted', () => {
    const one = [series(0, [1, 2, 3, 4, 5, 40], [1, 1, 1])]
    expect(shapes(draw(one), 'dot')[0]?.children).toHaveLength(1)
    expect(shapes(draw(one, { dots: 'all' }), 'dot')[0]?.children).toHaveLength(9)
  })

  test('names places only as far as there is room', () => {
    const places = Array.from({ length: 10 }, (_, i) => `${(i + 1) * 10},000`)
    const svg = draw([series(0, ...places.map((_, i) => [i, i + 1]))], { places })
    const named = [...parsed(svg).querySelectorAll('text')].map(({ textContent }) => textContent)
    expect(places.filter((place) => named.includes(place))).toEqual(['20,000', '40,000', '60,000', '80,000', '100,000'])
  })

  test('stays sound with one value, with equal values, with zeros and without a number of its own making', () => {
    for (const values of [[5], [0, 0, 0], [1e-300, 1e300], [0, 1e-9, 5]]) {
      const svg = draw([series(0, values, values)])
      expect(unbalanced(svg)).toEqual([])
      expect(svg).not.toMatch(/NaN|Infinity|undefined/)
    }
  })
})
