import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parsed, unbalanced } from '../../../../test/report/page-check.ts'
import { drawingDocument } from '../drawing-document.ts'
import { textOf } from '../markup.ts'
import { curveStyle } from '../palette.ts'
import { valueScale } from './axis.ts'
import { type BoxSeries, type BoxText, boxChart, boxOf, convergenceChart, drawnValues, evenly } from './charts.ts'

const text = {
  document: drawingDocument(),
  id: 'c',
  title: 'A title',
  description: 'What it shows.',
  xLabel: 'queries',
  yLabel: 'value',
}
const line = (y: readonly number[], label = 'one') => ({
  label,
  style: { color: 'var(--c1)' },
  curve: { x: Float64Array.from(y, (_, i) => i), y: Float64Array.from(y) },
})
const texts = (svg: string): (string | null)[] =>
  [...parsed(svg).querySelectorAll('text')].map(({ textContent }) => textContent)

test('axes are named and have round ticks', () => {
  expect(texts(convergenceChart([line([1000, 10, 0.1])], text).file)).toEqual([
    '0.1',
    '1',
    '10',
    '100',
    '1,000',
    '0',
    '1',
    '2',
    'value',
    'queries',
  ])
})

test('a part is drawn on axes of its own, in exact numbers, and says of how much it is a part', () => {
  const falling = Array.from({ length: 2_000_001 }, (_, i) => 1e6 / (i + 1))
  const { data } = convergenceChart([line(falling)], { ...text, part: [1_234_560, 1_234_569] })
  expect(data?.x).toMatchObject({ domain: [1_234_560, 1_234_569], whole: [0, 2_000_000] })
  expect(data?.series[0]?.x).toEqual(Array.from({ length: 11 }, (_, i) => 1_234_560 + i))
  expect(data?.series[0]?.y[3]).toBe(1e6 / 1_234_564)
  const [low = 0, high = 0] = data?.y.domain ?? []
  expect(high - low).toBeLessThan(1e-5)
})

test('a narrow chart has fewer ticks, none of which touch', () => {
  const long = { ...line([3, 2]), curve: { x: Float64Array.of(0, 8_000_000), y: Float64Array.of(3, 2) } }
  const ticks = (width?: number) => convergenceChart([long], { ...text, width }).data?.x.ticks.map((each) => each.text)
  expect(ticks()).toEqual(['0', '2,000,000', '4,000,000', '6,000,000', '8,000,000'])
  expect(ticks(300)).toEqual(['0', '5,000,000'])
  const { part } = convergenceChart([long, long], { ...text, width: 300 })
  expect(part.width).toBe(300)
})

test('an axis of time may have parts of its unit, one that counts has whole numbers only', () => {
  const ticks = (xLabel: string, values: readonly number[]) =>
    convergenceChart([line(values)], { ...text, xLabel }).data?.x.ticks?.map(({ text: each }) => each)
  expect(ticks('seconds', [3, 1])).toEqual(['0.0', '0.2', '0.4', '0.6', '0.8', '1.0'])
  expect(ticks('queries', [3, 1])).toEqual(['0', '1'])
  expect(ticks('iterations', [3, 2, 1, 0])).toEqual(['0', '1', '2', '3'])
  expect(
    ticks(
      'queries',
      Array.from({ length: 11 }, (_, i) => i),
    ),
  ).toEqual(['0', '2', '4', '6', '8', '10'])
})

test('a chart is named and described, in a page and as a file, and only the file brings its colours', () => {
  const { inline, file } = convergenceChart([line([3, 2, 1])], text)
  for (const svg of [textOf(inline), file]) {
    expect(unbalanced(svg)).toEqual([])
    expect(parsed(svg).querySelector('svg')?.getAttribute('aria-labelledby')).toBe('c-title c-desc')
    expect(parsed(svg).querySelector('desc')?.textContent).toBe('What it shows.')
  }
  expect(file).toContain('xmlns="http://www.w3.org/2000/svg"')
  expect(file).toMatch(/<style>.*prefers-color-scheme:dark.*<\/style><rect[^>]*fill="var\(--paper\)"/)
  expect(textOf(inline)).not.toMatch(/<style>|xmlns/)
})

test('a target is drawn where the axis has room for it', () => {
  const chart = (target: number) => texts(convergenceChart([line([5, -3])], { ...text, target }).file)
  expect(chart(1)).toContain('target')
  expect(chart(-50)).not.toContain('target')
})

test('values on both sides of zero, zeros, huge and tiny ones are drawn at finite places', () => {
  for (const y of [[5, -3], [7, 0, 0], [1e308, -1e308], [5e-324, 1], [2, 2], [0], [1e300, 1e300 * (1 + 2e-16)]]) {
    const { file } = convergenceChart([line(y), { ...line(y, 'two'), faint: true }], text)
    expect(file).not.toMatch(/NaN|Infinity/)
    expect(parsed(file).querySelectorAll('g[data-mark="line"] path')).toHaveLength(2)
  }
})

test('where the first values dwarf the others, the chart notes that its axis is cut', () => {
  const falling = Array.from({ length: 100 }, (_, i) => (i === 0 ? 1e6 : -i))
  expect(convergenceChart([line(falling)], text).note).toBe('The axis is cut: the first values lie above it.')
  expect(convergenceChart([line([3, 2])], text).note).toBeUndefined()
})

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
