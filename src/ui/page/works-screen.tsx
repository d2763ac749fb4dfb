import { useEffect, useRef, useState } from 'preact/hooks'
import type { WorkList, WorkRow } from '../api.ts'
import { DoneBar, Notice, Select, Spark, StateBadge } from './elements.tsx'
import { compareHref, route, setParams, workHref } from './route.ts'
import { get } from './server.ts'
import { keepRows, rows, useFetched, useMessages } from './store.ts'
import { amountText, dateText, kindText, rateText, resultText, timeText, tookText, wholeText } from './text.ts'

/** Milliseconds in which new works are waited for before the list is fetched again. */
const patience = 300

/** All works of the folder. */
export function WorksScreen() {
  const { params } = route.value
  const query = Object.fromEntries(['text', 'kind', 'state', 'sort'].map((name) => [name, params.get(name) ?? '']))
  const [more, setMore] = useState<readonly WorkList[]>([])
  const { value, error, reload } = useFetched(`works ${JSON.stringify(query)}`, async () => {
    const list = await get<WorkList>('works', query)
    keepRows(list.rows)
    setMore([])
    return list
  })
  useNewWorks(value, reload)
  useEffect(() => {
    document.title = 'zeroth'
  }, [])
  if (error !== undefined && value === undefined) return <Notice isError>{error}</Notice>
  if (value === undefined) return <p class="remark">Loading…</p>
  const shown = [...value.rows, ...more.flatMap((list) => list.rows)]
    .map(({ id }) => rows.value.get(id))
    .filter((row) => row !== undefined)
  const next = (more.at(-1) ?? value).next
  const addMore = async (): Promise<void> => {
    const list = await get<WorkList>('works', { ...query, after: next })
    keepRows(list.rows)
    setMore([...more, list])
  }
  return (
    <>
      <header class="head">
        <h1>Works</h1>
        <p class="remark">
          {value.all} in <code>{value.folder}</code>
        </p>
      </header>
      {value.all === 0 ? <FirstSteps /> : <Filters query={query} />}
      {value.all > 0 && shown.length === 0 && <Notice>None of the works matches.</Notice>}
      {shown.length > 0 && <WorksTable shown={shown} />}
      {next !== undefined && (
        <button type="button" onClick={addMore}>
          Show more of {value.total}
        </button>
      )}
      <Selection />
    </>
  )
}

/** Fetches the list again when there is a work that it does not have. */
function useNewWorks(list: WorkList | undefined, reload: () => void): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useMessages((message) => {
    const isNew = message.type === 'work' && message.row.parent === undefined
    const isKnown =
      message.type === 'work' &&
      list?.rows.some(({ id, state }) => id === message.row.id && state === message.row.state)
    if ((!isNew || isKnown) && message.type !== 'gone') return
    clearTimeout(timer.current)
    timer.current = setTimeout(reload, patience)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
}

function FirstSteps() {
  return (
    <div class="empty">
      <p>There is nothing here yet. Begin a run in a terminal, and it appears:</p>
      <pre>
        <code>npx zeroth minimize --function rosenbrock --dim 10 --max-queries 5000</code>
      </pre>
      <p>Or measure how robust a classifier is:</p>
      <pre>
        <code>npx zeroth attack --model digits --count 10</code>
      </pre>
    </div>
  )
}

function Filters({ query }: { readonly query: Readonly<Record<string, string>> }) {
  const [text, setText] = useState(query.text ?? '')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const search = (value: string): void => {
    setText(value)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setParams({ text: value }), 200)
  }
  return (
    <search class="filters">
      <label class="select">
        <span>Search</span>
        <input type="search" value={text} onInput={(event) => search(event.currentTarget.value)} />
      </label>
      <Select
        label="Kind"
        value={query.kind ?? ''}
        options={[
          ['', 'all'],
          ['run', 'runs'],
          ['series', 'series'],
          ['tuning', 'tunings'],
          ['evaluation', 'attacks'],
        ]}
        onChange={(kind) => setParams({ kind })}
      />
      <Select
        label="State"
        value={query.state ?? ''}
        options={[
          ['', 'all'],
          ...['running', 'finished', 'interrupted', 'failed', 'damaged'].map((state) => [state, state] as const),
        ]}
        onChange={(state) => setParams({ state })}
      />
      <Select
        label="Sort by"
        value={query.sort ?? ''}
        options={[
          ['', 'newest'],
          ['name', 'name'],
          ['best', 'result'],
          ['queries', 'queries'],
        ]}
        onChange={(sort) => setParams({ sort })}
      />
    </search>
  )
}

function WorksTable({ shown }: { readonly shown: readonly WorkRow[] }) {
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

function chosenIds(): string[] {
  return (route.value.params.get('chosen') ?? '').split(',').filter((id) => id !== '')
}

function choose(ids: readonly string[]): void {
  setParams({ chosen: ids.join(',') })
}

/** What has been ticked, and what can be done with it. */
function Selection() {
  const chosen = chosenIds()
  if (chosen.length === 0) return null
  return (
    <div class="selection">
      <span>{chosen.length} selected</span>
      {chosen.length > 1 ? (
        <a class="button" href={compareHref(chosen)}>
          Compare
        </a>
      ) : (
        <span class="remark">tick another to compare</span>
      )}
      <button type="button" onClick={() => choose([])}>
        Clear
      </button>
    </div>
  )
}
