/** One column of a text table. */
export interface Column<Row> {
  readonly title: string
  readonly align?: 'left' | 'right'
  readonly cell: (row: Row) => string
}

/** Rows as aligned text, with a rule under the titles. */
export function textTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = [columns.map((column) => column.title), ...rows.map((row) => columns.map((column) => column.cell(row)))]
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => (line[i] as string).length)))
  const lines = cells.map((line) =>
    line
      .map((cell, i) =>
        columns[i]?.align === 'right' ? cell.padStart(widths[i] as number) : cell.padEnd(widths[i] as number),
      )
      .join('  ')
      .trimEnd(),
  )
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

/** A number with three significant digits, in the shorter of its two usual forms. */
export function shortNumber(value: number): string {
  if (value === 0 || Number.isNaN(value)) return String(value)
  const size = Math.abs(value)
  return size >= 1e-3 && size < 1e5 ? String(Number(value.toPrecision(3))) : value.toExponential(2)
}
