import { expect, test } from 'vitest'
import { csvCell, csvLine } from './formats.ts'

test.each([
  ['=1+1', "'=1+1"],
  ['+SUM(A1)', "'+SUM(A1)"],
  ['-cmd|x', "'-cmd|x"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', `"'\t=1"`],
  ['\r=1', `"'\r=1"`],
  ['\n=1', `"'\n=1"`],
  ['\uff1d1', "'\uff1d1"],
  ['=HYPERLINK("http://x";"y"),1', `"'=HYPERLINK(""http://x"";""y""),1"`],
  ['x;=1+1', '"x;=1+1"'],
])('a spreadsheet does not compute %j', (text, cell) => {
  expect(csvCell(text)).toBe(cell)
})

test.each([
  [-0.5, '-0.5'],
  ['-0.5', '-0.5'],
  ['+1e-3', '+1e-3'],
  ['a=b', 'a=b'],
  ["it's", "it's"],
  [Number.NaN, 'NaN'],
  [true, 'true'],
  [null, ''],
  [undefined, ''],
  ['', ''],
])('%j stays as it is', (value, cell) => {
  expect(csvCell(value)).toBe(cell)
})

test('a line has its cells quoted where commas, quotes and line breaks need it', () => {
  expect(csvLine(['a,b', 'c"d', 1, null])).toBe('"a,b","c""d",1,\r\n')
})
