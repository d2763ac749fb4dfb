/** A table of a page, in columns of even width. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [first = [], ...others] = cells
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n')
}

/** A page with another text between the marks `<!-- gen:name -->` and `<!-- /gen -->`. */
export function withSection(page: string, name: string, text: string): string {
  const begin = `<!-- gen:${name} -->`
  const [before, rest] = split(page, begin)
  const [, after] = split(rest, '<!-- /gen -->')
  return `${before}${begin}\n\n${text}\n\n<!-- /gen -->${after}`
}

function split(page: string, mark: string): [string, string] {
  const at = page.indexOf(mark)
  if (at < 0) throw new Error(`a page of docs has no ${mark}`)
  return [page.slice(0, at), page.slice(at + mark.length)]
}
