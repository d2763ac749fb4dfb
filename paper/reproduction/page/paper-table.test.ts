import { describe, expect, test } from 'vitest'
import { textOf } from '../../../src/app/report/markup.ts'
import { cellText, type PaperTable, paperTableCsv, paperTableMarkup, rowText } from './paper-table.ts'

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

  test('shows rates alike, with the digits that the paper prints, and leaves a missing mark empty', () => {
    const rate = { key: 'x', title: 'x', as: 'rate' } as const
    expect([0.00009, 0.001, 0.0016, 0.009, 0.01, 0.025, 4.8, 0.1 + 0.2].map((each) => cellText(each, rate))).toEqual([
      '9e-5',
      '1e-3',
      '1.6e-3',
      '9e-3',
      '0.01',
      '0.025',
      '4.8',
      '0.3',
    ])
    expect(cellText(38.4, { key: 'x', title: 'x', as: 'number', paper: true, digits: 2 })).toBe('38.40')
    expect(cellText(3997, { key: 'x', title: 'x', as: 'number', paper: true, digits: 2 })).toBe('3997')
    expect(cellText('', { key: 'x', title: 'x', as: 'mark' })).toBe('')
    expect(cellText(undefined, { key: 'x', title: 'x' })).toBe('–')
  })

  test('shows half of an interval behind a number that has one', () => {
    const column = { key: 'x', title: 'x', as: 'number', plusMinus: 'y' } as const
    const share = { ...column, as: 'percent' } as const
    expect(rowText({ x: 12.345, y: 0.5678 }, column)).toBe('12.3\u00a0±\u00a00.568')
    expect(rowText({ x: 0.5, y: 0.25 }, share)).toBe('50\u00a0%\u00a0±\u00a025')
    expect(rowText({ x: 12.345, y: Number.NaN }, column)).toBe('12.3')
    expect(rowText({ x: undefined }, column)).toBe('–')
  })

  test('has columns for its file alone, and rows that stand out', () => {
    const marked: PaperTable = {
      file: 'x',
      caption: 'x',
      emphasis: 'chosen',
      columns: [
        { key: 'problem', title: 'problem', isHidden: true },
        { key: 'method', title: 'method' },
        { key: 'chosen', title: 'chosen', as: 'mark' },
      ],
      rows: [
        { problem: 'here', method: 'one', chosen: '' },
        { problem: 'here', method: 'two', chosen: 'best' },
      ],
    }
    expect(paperTableCsv([marked])).toBe('problem,method,chosen\nhere,one,\nhere,two,best\n')
    const html = textOf(paperTableMarkup(marked))
    expect(html).not.toContain('problem')
    expect(html.match(/<b>[^<]*/g)).toEqual(['<b>two', '<b>best'])
  })
})
