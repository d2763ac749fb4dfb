import type { RateRow } from './table-1.ts'
import type { Check, Verdict } from './verdict.ts'

/** Remarks are broken into lines of about this many characters. */
const width = 110

/** One statement with its verdicts, as aligned text. */
export function sectionText(check: Check, verdicts: readonly Verdict[]): string {
  const rows = verdicts.map((verdict) => [verdict.claim, verdict.predicted, verdict.measured])
  const header = ['claim', 'predicted', 'measured']
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (mark: string, cells: readonly string[]): string =>
    `  ${mark.padEnd(4)}  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()
  const lines = verdicts.flatMap((verdict, i) => [
    line(verdict.passed ? 'PASS' : 'FAIL', rows[i] ?? []),
    ...(verdict.remark === undefined ? [] : indented(verdict.remark, '          ')),
  ])
  return [`[${check.id}] ${check.statement}`, line('', header), ...lines, ''].join('\n')
}

/** Table 1, with its notes under the rows. */
export function rateTableText(rows: readonly RateRow[]): string {
  const titles = ['method', 'assumptions', 'estimator', 'mu = O(.)', 'rate = O(.)', 'queries = O(.)']
  const cells = rows.map((row) => [row.method, row.assumptions, row.estimator, row.smoothing, row.rate, row.queries])
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...cells.map((each) => each[column]?.length ?? 0)),
  )
  const line = (row: readonly string[]): string =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()
  const lines = rows.flatMap((row, i) => [
    line(cells[i] ?? []),
    ...(row.note === undefined ? [] : indented(row.note, '      ')),
  ])
  return ['[table-1] Table 1: rates after T iterations, as printed, with our notes.', line(titles), ...lines, ''].join(
    '\n',
  )
}

/** How many claims held. */
export function summaryText(verdicts: readonly Verdict[]): string {
  const failed = verdicts.filter(({ passed }) => !passed).length
  return failed === 0 ? `All ${verdicts.length} claims hold.` : `${failed} of ${verdicts.length} claims FAILED.`
}

/** Words put into lines of at most `width` characters, each indented. */
function indented(text: string, indent: string): string[] {
  const lines: string[] = []
  let current = ''
  for (const word of text.split(' ')) {
    if (current !== '' && current.length + word.length >= width) {
      lines.push(indent + current)
      current = ''
    }
    current = current === '' ? word : `${current} ${word}`
  }
  return [...lines, indent + current]
}
