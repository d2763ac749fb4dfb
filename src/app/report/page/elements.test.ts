import { expect, test } from 'vitest'
import { parsed } from '../../../../test/report/page-check.ts'
import { type ChartData, shareScale } from '../chart/axis.ts'
import { boxChart, boxOf, convergenceChart } from '../chart/charts.ts'
import { drawingDocument } from '../drawing-document.ts'
import { type Markup, textOf } from '../markup.ts'
import { chartTable, groupedBy, machineSection, messageList } from './elements.ts'

const texts = (markup: Markup, selector: string): (string | null)[] =>
  [...parsed(textOf(markup)).querySelectorAll(selector)].map(({ textContent }) => textContent)
const ranOn = (name: string, node: string) => ({ name, zeroth: '0.1.0', machine: [['node', node]] as const })

test('a message is said once, with the runs it came from where there are several', () => {
  const messages = [
    { text: 'too steep', name: 'a' },
    { text: 'too flat', name: 'b' },
    { text: 'too steep', name: 'b' },
    { text: 'too steep', name: 'b' },
  ]
  expect(texts(messageList(messages, 2), 'li')).toEqual(['too steep (a, b)', 'too flat (b)'])
  expect(texts(messageList(messages.slice(0, 1), 1), 'li')).toEqual(['too steep'])
  const many = Array.from({ length: 60 }, (_, i) => ({ text: String(i), name: 'a' }))
  expect(texts(messageList(many, 1), '.remark')).toEqual(['10 more messages are not shown.'])
})

test('a machine is shown once, with the runs it stands for where there are several machines', () => {
  const captions = (...runs: ReturnType<typeof ranOn>[]) => texts(machineSection(runs, 'run').content, 'caption')
  expect(captions(ranOn('a', '20'))).toEqual(['This run'])
  expect(captions(ranOn('a', '20'), ranOn('b', '20'))).toEqual(['All runs'])
  expect(captions(ranOn('a', '20'), ranOn('b', '22'), ranOn('c', '20'))).toEqual(['Runs a, c', 'Runs b'])
})

test('items are grouped in the order in which their groups first occur', () => {
  expect([...groupedBy(['b1', 'a1', 'b2'], (item) => item.slice(0, 1))]).toEqual([
    ['b', ['b1', 'b2']],
    ['a', ['a1']],
  ])
})

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
