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
