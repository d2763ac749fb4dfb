import { expect, test } from 'vitest'
import { shortNumber, textTable } from './table.ts'

test('columns are as wide as their widest cell and numbers stand flush right', () => {
  const rows = [
    { name: 'a', value: 1 },
    { name: 'longer', value: 22.5 },
  ]
  const text = textTable(rows, [
    { title: 'name', cell: (row) => row.name },
    { title: 'value', align: 'right', cell: (row) => shortNumber(row.value) },
  ])
  expect(text.split('\n')).toEqual(['name    value', '------  -----', 'a           1', 'longer   22.5'])
})

test('a number is written with three digits, in exponents only where it is very small or large', () => {
  expect([0, 1, -2.34567, 0.00123456, 0.000123456, 123456, Number.NaN].map(shortNumber)).toEqual([
    '0',
    '1',
    '-2.35',
    '0.00123',
    '1.23e-4',
    '1.23e+5',
    'NaN',
  ])
})
