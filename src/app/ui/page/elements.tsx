import { signal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import type { JobView } from '../api.ts'
import { jobHref } from './route.ts'
import { doneShare } from './text.ts'

const looks: Readonly<Record<JobView['state'], string>> = {
  running: 'live',
  finished: 'good',
  interrupted: 'plain',
  failed: 'bad',
  damaged: 'bad',
}

/** The state of a job, as a word. */
export function StateBadge({ state }: { readonly state: JobView['state'] }) {
  return <Badge word={state} look={looks[state]} />
}

/** A word with a colour that only underlines it. */
export function Badge({ word, look }: { readonly word: string; readonly look: string }) {
  return <span class={`badge ${look}`}>{word}</span>
}

/** The tags of a job. */
export function Tags({ tags = [] }: Pick<JobView, 'tags'>) {
  if (tags.length === 0) return null
  return (
    <span class="tags">
      {tags.map((tag) => (
        <Badge key={tag} word={tag} look="tag" />
      ))}
    </span>
  )
}

/** A number that matters, what it is, and a word on it. */
export interface TileData {
  readonly name: string
  readonly value: string
  readonly note?: string | undefined
}

/** The numbers that matter most, side by side. */
export function Tiles({ tiles }: { readonly tiles: readonly TileData[] }) {
  return (
    <dl class="tiles">
      {tiles.map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={hasLongWord(value) ? 'long' : undefined}>
            {value}
            {note !== undefined && <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Whether something in a tile is so long that a line could only break within it: a budget of 1,000,000,000. */
function hasLongWord(text: string): boolean {
  return text.split(' ').some((word) => word.length > 12)
}

/** How much of a job is done, as a bar; what it says stands beside it in words. */
export function DoneBar({ row }: { readonly row: JobView }) {
  const share = doneShare(row)
  if (share === undefined || row.state === 'finished') return null
  return (
    <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="4" />
      <rect class={row.state === 'running' ? 'fill live' : 'fill'} width={100 * share} height="4" />
    </svg>
  )
}

/** A small curve of the best value so far. */
export function Spark({ values }: { readonly values: JobView['spark'] }) {
  const finite = (values ?? []).filter((value): value is number => typeof value === 'number' && Number.isFinite(value))
  if (finite.length < 2) return null
  const [low, high] = [Math.min(...finite), Math.max(...finite)]
  const scaled = low > 0 && high / low > 10 ? Math.log : (value: number) => value
  const height = scaled(high) - scaled(low)
  const points = finite.map((value, i) => {
    const y = height > 0 ? (scaled(value) - scaled(low)) / height : 0
    return `${((100 * i) / (finite.length - 1)).toFixed(1)},${(24 - 20 * y).toFixed(1)}`
  })
  return (
    <svg class="spark" viewBox="-2 0 104 28" aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  )
}

/** A part of a screen under its own heading. */
export function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** Says what is missing, or why. */
export function Notice({
  children,
  isError = false,
}: {
  readonly children: ComponentChildren
  readonly isError?: boolean
}) {
  return (
    <p class="notice" role={isError ? 'alert' : undefined}>
      {children}
    </p>
  )
}

/** Says that there is nothing at an address, why, and where to go instead. */
export function Missing({ error, children }: { readonly error: string; readonly children?: ComponentChildren }) {
  return (
    <Notice isError>
      {error}. {children} <a href="#/">All jobs</a>
    </Notice>
  )
}

/** A text to copy. A page that is not on this machine may not write to the clipboard: it can still be selected. */
export function Copyable({ text }: { readonly text: string }) {
  const canCopy = 'clipboard' in navigator
  return (
    <div class="copyable">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      {canCopy && (
        <button type="button" onClick={() => void navigator.clipboard.writeText(text)}>
          Copy
        </button>
      )}
    </div>
  )
}

/** What is chosen of what, and what a choice does. */
interface Chosen<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly (readonly [Value, string])[]
  readonly onChange: (value: Value) => void
}

/** One of a few choices, as buttons side by side. */
export function Choice<Value extends string>({ label, value, options, onChange }: Chosen<Value>) {
  return (
    <fieldset class="choice">
      <legend class="unseen">{label}</legend>
      {options.map(([each, text]) => (
        <button type="button" key={each} aria-pressed={each === value} onClick={() => onChange(each)}>
          {text}
        </button>
      ))}
    </fieldset>
  )
}

/** A choice from a list, with its name before it. */
export function Select({ label, value, options, onChange }: Chosen<string>) {
  return (
    <label class="select">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

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

/** A table that scrolls on its own if it is wider than the screen. Its first column names the row. */
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

/** What every table of jobs begins with: the name, which leads to the job, and its state. */
export const jobColumns: readonly Column<JobView>[] = [
  { title: 'Name', cell: ({ id, name }) => <a href={jobHref(id)}>{name}</a> },
  { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
]

const said = signal('')

/** Says something to those who do not see the page. */
export function announce(text: string): void {
  said.value = text
}

/** Where it is said. */
export function LiveRegion() {
  return (
    <div class="unseen" role="status" aria-live="polite">
      {said.value}
    </div>
  )
}
