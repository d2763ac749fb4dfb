import { expect, test } from 'vitest'
import { parsed, unbalanced } from '../../../test/report/page-check.ts'
import { drawingDocument } from '../drawing-document.ts'
import { textOf } from '../markup.ts'
import { convergenceChart } from './convergence-chart.ts'

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
