import type { ComponentChildren, JSX } from 'preact'
import type { WorkRow } from '../api.ts'
import { StateBadge } from './elements.tsx'
import { workHref } from './route.ts'

/** A column of a table: what stands above it, and in each row. */
export interface Column<Row> {
  readonly title: ComponentChildren
  readonly cell: (row: Row) => ComponentChildren
  /** Classes of all its cells: `num` for numbers, `wide` for what small screens leave out. */
  readonly look?: string
}

interface Props<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row, index: number) => string | number
}

interface BareProps<Row> extends Props<Row> {
  /** Which column names the row. */
  readonly heading?: number
  readonly class?: string
  readonly isCaptionUnseen?: boolean
}

/** A table that scrolls on its own where it is wider than the screen. Its first column names the row. */
export function Table<Row>(props: Props<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
    <section class="scroll" aria-label={props.caption} tabIndex={0}>
      <BareTable {...props} />
    </section>
  )
}

/** A table that is as wide as the screen. */
export function BareTable<Row>({ caption, columns, rows, keyOf, heading = 0, ...look }: BareProps<Row>) {
  return (
    <table class={look.class}>
      <caption class={look.isCaptionUnseen === true ? 'unseen' : undefined}>{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, look: name }, i) => (
            <th scope="col" class={name} key={i}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={keyOf(row, index)}>{columns.map((column, i) => cellOf(column, row, i, i === heading))}</tr>
        ))}
      </tbody>
    </table>
  )
}

function cellOf<Row>({ cell, look }: Column<Row>, row: Row, key: number, isHeading: boolean): JSX.Element {
  if (!isHeading)
    return (
      <td class={look} key={key}>
        {cell(row)}
      </td>
    )
  return (
    <th scope="row" class={look} key={key}>
      {cell(row)}
    </th>
  )
}

/** What every table of works begins with: the name, which leads to the work, and its state. */
export const workColumns: readonly Column<WorkRow>[] = [
  { title: 'Name', cell: ({ id, name }) => <a href={workHref(id)}>{name}</a> },
  { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
]
