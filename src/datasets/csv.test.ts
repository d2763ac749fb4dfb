import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCsv } from './csv.ts'

const cells = (text: string) => parseCsv(text, 't.csv').rows.map((row) => row.cells)
const lines = (text: string) => parseCsv(text, 't.csv').rows.map((row) => row.line)

describe('reads', () => {
  test.each([
    [
      'plain cells',
      'a,b\n1,2\n3,4\n',
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    [
      'CRLF, and no line ending at the end',
      'a,b\r\n1,2\r\n3,4',
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    ['CR alone', 'a,b\r1,2\r', [['1', '2']]],
    ['quoted cells with commas, quotes and line breaks', 'a,b\n"1,""x""","2\r\n3"\n', [['1,"x"', '2\r\n3']]],
    ['empty cells, quoted or not', 'a,b,c\n,"",\n', [['', '', '']]],
    ['an empty cell at the very end', 'a,b\n1,', [['1', '']]],
    ['blank lines by skipping them', '\n\na,b\n\n1,2\n\r\n\n', [['1', '2']]],
    ['spaces as they are', 'a,b\n 1 ,\t2\n', [[' 1 ', '\t2']]],
    ['an empty quoted cell alone in its line', 'a\n""\n', [['']]],
    ['a header alone', 'a,b\n', []],
  ])('%s', (_, text, expected) => {
    expect(cells(text)).toEqual(expected)
  })

  test('numbers lines as an editor does, also behind cells of several lines', () => {
    expect(lines('a,b\r\n1,"x\r\ny\nz"\r\n\r\n3,4\r\n5,6')).toEqual([2, 6, 7])
  })

  test('cells of ten million characters', () => {
    const long = 'x'.repeat(10_000_000)
    expect(cells(`a,b\n${long},"${long}"`)[0]?.map((cell) => cell.length)).toEqual([1e7, 1e7])
  })

  test('whatever was written by the rules', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é'), maxLength: 6 })
    const table = fc
      .integer({ min: 1, max: 4 })
      .chain((width) =>
        fc
          .array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 5 })
          .map((rows) => ({ width, rows })),
      )
    fc.assert(
      fc.property(table, ({ width, rows }) => {
        const header = Array.from({ length: width }, (_, i) => `c${i}`)
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
        const text = [header, ...rows].map((row) => row.map(quoted).join(',')).join('\r\n')
        expect(cells(text)).toEqual(rows)
      }),
    )
  })
})

describe('refuses', () => {
  test.each([
    ['', 't.csv: is empty, a line with the names of the columns is required'],
    ['a,b\n1\n', 't.csv line 2: has 1 cells, the header has 2'],
    ['a,b\n\n"x\ny",2,3\n', 't.csv line 3: has 3 cells, the header has 2'],
    ['a,b,a\n', 't.csv: has two columns called "a"'],
    [
      'a,b\n1,"2\n3,4\n',
      't.csv line 2: a quoted cell must be closed and end there (quotes inside it are written twice)',
    ],
    ['a,b\n1,"2"3\n', 't.csv line 2: a quoted cell must be closed and end there (quotes inside it are written twice)'],
    ['a,b\n1,2"\n', 't.csv line 2: a cell with quotes in it must be quoted (quotes inside it are written twice)'],
  ])('%j', (text, message) => {
    expect(() => parseCsv(text, 't.csv')).toThrow(message)
  })
})
