import { expect, test } from 'vitest'
import { parsed } from '../../../test/report/page-check.ts'
import { textOf } from '../markup.ts'
import { curveStyle } from '../palette.ts'
import { legend, legendHeight } from './legend.ts'

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
