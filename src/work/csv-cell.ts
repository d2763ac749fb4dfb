/** What a cell of a table may hold; what does not apply is empty. */
export type Cell = string | number | boolean | null | undefined

/** How the formulas of spreadsheets begin, and what they skip in front of one. */
const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/**
 * A cell of a CSV table (RFC 4180) that a spreadsheet shows and never computes: a text that begins as a formula does gets
 * an apostrophe in front, as spreadsheets themselves mark text. Numbers stay as they are.
 */
export function csvCell(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null || cell === undefined ? '' : String(cell)
  const isFormula = formula.test(cell) && (cell.trim() === '' || Number.isNaN(Number(cell)))
  const text = isFormula ? `'${cell}` : cell
  // Where the comma is the decimal sign, spreadsheets split at semicolons; many split at tabs.
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A line of a CSV table. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}
