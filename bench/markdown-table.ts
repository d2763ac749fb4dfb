import type { Column } from '../src/app/report/table.ts'

/** Rows as a table of Markdown, its columns aligned. */
export function markdownTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ cell }) => cell(row)))]
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i]?.length ?? 0)))
  const line = (texts: readonly string[]): string => `| ${texts.join(' | ')} |`
  const padded = cells.map((texts) =>
    texts.map((text, i) =>
      columns[i]?.align === 'right' ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0),
    ),
  )
  const rule = columns.map(({ align }, i) =>
    align === 'right' ? `${'-'.repeat((widths[i] ?? 1) - 1)}:` : '-'.repeat(widths[i] ?? 0),
  )
  return [padded[0] ?? [], rule, ...padded.slice(1)].map(line).join('\n')
}
