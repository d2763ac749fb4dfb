import type { WorkRow } from '../api.ts'
import { DoneBar, Spark, StateBadge } from './elements.tsx'
import { route, setParams, workHref } from './route.ts'
import { amountText, dateText, kindText, rateText, resultText, timeText, tookText, wholeText } from './text.ts'

/** Works in a table; on small screens only what matters most, below the name. */
export function WorksTable({ shown }: { readonly shown: readonly WorkRow[] }) {
  return (
    <table class="works">
      <caption class="unseen">Works, those that are running first</caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="unseen">Compare</span>
          </th>
          <th scope="col">Name</th>
          <th scope="col" class="wide">
            State
          </th>
          <th scope="col" class="num">
            Result
          </th>
          <th scope="col" class="wide">
            Done
          </th>
          <th scope="col" class="num wide">
            Queries
          </th>
          <th scope="col" class="num wide">
            Time
          </th>
          <th scope="col" class="wide">
            <span class="unseen">Course</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {shown.map((row) => (
          <WorkLine key={row.id} row={row} />
        ))}
      </tbody>
    </table>
  )
}

function WorkLine({ row }: { readonly row: WorkRow }) {
  const chosen = chosenIds()
  const isChosen = chosen.includes(row.id)
  const toggle = (): void => choose(isChosen ? chosen.filter((id) => id !== row.id) : [...chosen, row.id])
  const isRunning = row.state === 'running'
  return (
    <tr>
      <td>
        <input type="checkbox" checked={isChosen} onChange={toggle} aria-label={`Compare ${row.name}`} />
      </td>
      <th scope="row">
        <a href={workHref(row.id)}>{row.name}</a>
        <span class="narrow">
          <StateBadge state={row.state} /> {isRunning && row.left !== undefined && `${timeText(row.left)} left`}
        </span>
        <small>
          {kindText(row.kind)}: {row.about}
        </small>
        <small>{row.problem ?? dateText(row.created)}</small>
        <span class="narrow">
          <DoneBar row={row} />
        </span>
      </th>
      <td class="wide">
        <StateBadge state={row.state} />
      </td>
      <td class="num">{resultText(row)}</td>
      <td class="wide done">
        {amountText(row)}
        <DoneBar row={row} />
      </td>
      <td class="num wide">
        {wholeText(row.queries)}
        {isRunning && <small>{rateText(row.rate)}</small>}
      </td>
      <td class="num wide">
        {isRunning ? timeText(row.left) : tookText(row.seconds)}
        {isRunning && row.left !== undefined && <small>left at most</small>}
      </td>
      <td class="wide">
        <Spark values={row.spark} />
      </td>
    </tr>
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
