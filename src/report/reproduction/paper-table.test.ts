import { describe, expect, test } from 'vitest'
import { textOf } from '../markup.ts'
import { type PaperTable, paperTableCsv, paperTableMarkup } from './paper-table.ts'

const table: PaperTable = {
  file: 'table',
  caption: 'A table',
  columns: [
    { key: 'method', title: 'method' },
    { key: 'success', title: 'success', as: 'percent' },
    { key: 'size', title: 'size', as: 'number' },
    { key: 'paper', title: 'paper', as: 'number', paper: true },
  ],
  rows: [
    { method: 'one, "two"', success: 1 / 3, size: 0.1 + 0.2, paper: 67.74 },
    { method: '<b>', success: Number.NaN, size: null, paper: undefined },
  ],
}

describe('a table of a reproduction', () => {
  test('is CSV with all digits, quoted where it must be, empty where something is missing', () => {
    expect(paperTableCsv([table])).toBe(
      'method,success,size,paper\n"one, ""two""",0.3333333333333333,0.30000000000000004,67.74\n<b>,,,\n',
    )
  })

  test('of several parts is one CSV with the columns of all', () => {
    const other = {
      ...table,
      columns: [
        { key: 'method', title: '' },
        { key: 'more', title: '' },
      ],
      rows: [{ method: 'x', more: 1 }],
    }
    expect(paperTableCsv([table, other]).split('\n')).toEqual([
      'method,success,size,paper,more',
      '"one, ""two""",0.3333333333333333,0.30000000000000004,67.74,',
      '<b>,,,,',
      'x,,,,1',
      '',
    ])
  })

  test('is shown in few digits, those of the paper as they are printed', () => {
    const html = textOf(paperTableMarkup(table))
    expect(html).toContain('>33.3\u00a0%<')
    expect(html).toContain('>0.3<')
    expect(html).toContain('<span class="theirs"><data value="67.74">67.74</data></span>')
    expect(html).toContain('&#60;b&#62;')
    expect(html).not.toContain('NaN')
  })
})
