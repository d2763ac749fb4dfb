import { factTable, type PageColumn, type Section } from '../src/app/report/page/elements.ts'
import type { Column } from '../src/app/report/table.ts'

/** The command and the machine, from lines of Markdown. */
export function machineSection(lines: readonly string[]): Section {
  const facts = lines.map((line) => {
    const [name = '', ...rest] = line.replace(/^- /, '').replaceAll('`', '').split(': ')
    return [rest.length === 0 ? 'Node' : name, rest.length === 0 ? name : rest.join(': ')] as const
  })
  return { id: 'machine', title: 'How it was measured', content: factTable('Command and machine', facts) }
}

/** The columns of a text table as those of a page. */
export function pageColumns<T>(columns: readonly Column<T>[]): PageColumn<T>[] {
  return columns.map(({ title, align, cell }) => ({ title, numeric: align === 'right', cell }))
}
