import type { WorkRow } from '../api.ts'
import { DoneBar, Spark, StateBadge } from './elements.tsx'
import { route, setParams, workHref } from './route.ts'
import { BareTable, type Column } from './table.tsx'
import {
  amountText,
  dateText,
  kindText,
  rateText,
  resultNote,
  resultText,
  timeText,
  tookText,
  wholeText,
} from './text.ts'

/** Works in a table; on small screens only what matters most, below the name. */
export function WorksTable({ shown }: { readonly shown: readonly WorkRow[] }) {
  return (
    <BareTable
      class="works"
      caption="Works, those that are running first"
      isCaptionUnseen
      rows={shown}
      keyOf={({ id }) => id}
      columns={columns}
      heading={1}
    />
  )
}

const columns: readonly Column<WorkRow>[] = [
  { title: <span class="unseen">Compare</span>, cell: (row) => <Tick row={row} /> },
  { title: 'Name', cell: (row) => <Name row={row} /> },
  { title: 'State', look: 'wide', cell: ({ state }) => <StateBadge state={state} /> },
  {
    title: 'Result',
    look: 'num result',
    cell: (row) => (
      <>
        {resultText(row)}
        {resultNote(row) !== undefined && <small>{resultNote(row)}</small>}
      </>
    ),
  },
  {
    title: 'Done',
    look: 'wide done',
    cell: (row) => (
      <>
        {amountText(row)}
        <DoneBar row={row} />
      </>
    ),
  },
  {
    title: 'Queries',
    look: 'num wide',
    cell: ({ queries, state, rate }) => (
      <>
        {wholeText(queries)}
        {state === 'running' && <small>{rateText(rate)}</small>}
      </>
    ),
  },
  {
    title: 'Time',
    look: 'num wide',
    cell: ({ state, left, seconds }) => (
      <>
        {state === 'running' ? timeText(left) : tookText(seconds)}
        {state === 'running' && left !== undefined && <small>left at most</small>}
      </>
    ),
  },
  { title: <span class="unseen">Course</span>, look: 'wide', cell: ({ spark }) => <Spark values={spark} /> },
]

function Tick({ row: { id, name } }: { readonly row: WorkRow }) {
  const chosen = chosenIds()
  const isChosen = chosen.includes(id)
  const toggle = (): void => choose(isChosen ? chosen.filter((each) => each !== id) : [...chosen, id])
  return <input type="checkbox" checked={isChosen} onChange={toggle} aria-label={`Compare ${name}`} />
}

function Name({ row }: { readonly row: WorkRow }) {
  return (
    <>
      <a href={workHref(row.id)}>{row.name}</a>
      <span class="narrow">
        <StateBadge state={row.state} />{' '}
        {row.state === 'running' && row.left !== undefined && `${timeText(row.left)} left`}
      </span>
      <small>
        {kindText(row.kind)}: {row.about}
      </small>
      <small>{row.problem ?? dateText(row.created)}</small>
      <span class="narrow">
        <DoneBar row={row} />
      </span>
    </>
  )
}

/** The works that are ticked: the address has them. */
export function chosenIds(): string[] {
  return (route.value.params.get('chosen') ?? '').split(',').filter((id) => id !== '')
}

/** Ticks other works. */
export function choose(ids: readonly string[]): void {
  setParams({ chosen: ids.join(',') })
}
