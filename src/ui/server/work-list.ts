import type { WorkRow } from '../api.ts'
import type { LiveWorks } from './live-works.ts'

/** Which works a list shows, and in which order. */
export interface ListQuery {
  /** A part of the name, or of what it is about. */
  readonly text?: string | undefined
  readonly kind?: string | undefined
  readonly state?: string | undefined
  readonly sort?: string | undefined
  /** The id of the last work of the page before. */
  readonly after?: string | undefined
  readonly count: number
}

type Order = (a: WorkRow, b: WorkRow) => number

/** A page of the works that match, those at work first. */
export function selectRows(works: LiveWorks, { text = '', kind, state, sort, after, count }: ListQuery) {
  const top = [...works.scanner.works.values()].filter(({ parent }) => parent === undefined)
  const wanted = text.trim().toLowerCase()
  const rows = top
    .map(({ id, row }) => works.rowOf(id) ?? row)
    .filter((row) => !kind || row.kind === kind)
    .filter((row) => !state || row.state === state)
    .filter((row) => `${row.name} ${row.about}`.toLowerCase().includes(wanted))
    .sort(orders[sort ?? ''] ?? latestFirst)
  const from = after === undefined ? 0 : rows.findIndex(({ id }) => id === after) + 1
  const shown = rows.slice(from, from + count)
  const next = from + count < rows.length ? shown.at(-1)?.id : undefined
  return { rows: shown, total: rows.length, all: top.length, next }
}

const running: Order = (a, b) => Number(b.state === 'running') - Number(a.state === 'running')
const byName: Order = (a, b) => a.name.localeCompare(b.name, 'en', { numeric: true })
const latestFirst: Order = (a, b) =>
  running(a, b) || (b.created ?? '').localeCompare(a.created ?? '', 'en') || byName(a, b)

const orders: Readonly<Record<string, Order>> = {
  name: byName,
  best: (a, b) => ascending(resultOf(a), resultOf(b)) || byName(a, b),
  queries: (a, b) => (b.queries ?? 0) - (a.queries ?? 0) || byName(a, b),
}

/** The number that the list shows. */
function resultOf({ kind, robustAccuracy, value, best }: WorkRow): WorkRow['best'] {
  return kind === 'evaluation' ? robustAccuracy : (value ?? best)
}

function ascending(a: number | null | undefined, b: number | null | undefined): number {
  const [one, other] = [a, b].map((each) => (typeof each === 'number' && !Number.isNaN(each) ? each : Infinity))
  return one === other ? 0 : (one as number) - (other as number)
}
