import { useEffect, useRef, useState } from 'preact/hooks'
import type { JobList, JobView } from '../api.ts'
import { BareTable, type Column, DoneBar, Notice, Select, Spark, StateBadge, Tags } from './elements.tsx'
import { compareHref, jobHref, route, setParams } from './route.ts'
import { get, keepRows, rows, useFetched, useMessages } from './store.ts'
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

/** Milliseconds in which new jobs are waited for before the list is fetched again. */
const patience = 300

/** All jobs of the folder. */
export function JobsScreen() {
  const { params } = route.value
  const query = Object.fromEntries(['text', 'kind', 'state', 'sort'].map((name) => [name, params.get(name) ?? '']))
  const [more, setMore] = useState<readonly JobList[]>([])
  const { value, error, reload } = useFetched(`works ${JSON.stringify(query)}`, async () => {
    const list = await get<JobList>('works', query)
    keepRows(list.rows)
    setMore([])
    return list
  })
  useNewJobs(value, reload)
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
    const list = await get<JobList>('works', { ...query, after: next })
    keepRows(list.rows)
    setMore([...more, list])
  }
  return (
    <>
      <header class="head">
        <h1>Jobs</h1>
        <p class="remark">
          {value.all} in <code>{value.folder}</code>
        </p>
      </header>
      {value.all === 0 ? <FirstSteps /> : <Filters query={query} />}
      {value.all > 0 && shown.length === 0 && <Notice>No matching jobs.</Notice>}
      {shown.length > 0 && <JobsTable shown={shown} />}
      {next !== undefined && (
        <button type="button" onClick={addMore}>
          Show more of {value.total}
        </button>
      )}
      <Selection />
    </>
  )
}

/** Fetches the list again when there is a job that it does not have. */
function useNewJobs(list: JobList | undefined, reload: () => void): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useMessages((message) => {
    if (message.type !== 'job' && message.type !== 'gone') return
    if (message.type === 'job') {
      const { id, state, parent } = message.job
      if (parent !== undefined || list?.rows.some((row) => row.id === id && row.state === state)) return
    }
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

type Options = readonly (readonly [value: string, text: string])[]
const kinds = { '': 'all', run: 'runs', series: 'series', tuning: 'tunings', evaluation: 'attacks' }
const sorts = { '': 'newest', name: 'name', best: 'result', queries: 'queries' }
const states = ['running', 'finished', 'interrupted', 'failed', 'damaged'].map((each) => [each, each] as const)
const filters: readonly (readonly [label: string, name: string, options: Options])[] = [
  ['Kind', 'kind', Object.entries(kinds)],
  ['State', 'state', [['', 'all'], ...states]],
  ['Sort by', 'sort', Object.entries(sorts)],
]

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
      {filters.map(([label, name, options]) => (
        <Select
          key={name}
          label={label}
          value={query[name] ?? ''}
          options={options}
          onChange={(value) => setParams({ [name]: value })}
        />
      ))}
    </search>
  )
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

/** Jobs in a table; on small screens only what matters most, below the name. */
function JobsTable({ shown }: { readonly shown: readonly JobView[] }) {
  return (
    <BareTable
      class="works"
      caption="Jobs, those that are running first"
      isCaptionUnseen
      rows={shown}
      keyOf={({ id }) => id}
      columns={columns}
      heading={1}
    />
  )
}

const columns: readonly Column<JobView>[] = [
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
        {state === 'running' && left !== undefined && <small>at most</small>}
      </>
    ),
  },
  { title: <span class="unseen">Course</span>, look: 'wide', cell: ({ spark }) => <Spark values={spark} /> },
]

function Tick({ row: { id, name } }: { readonly row: JobView }) {
  const chosen = chosenIds()
  const isChosen = chosen.includes(id)
  const toggle = (): void => choose(isChosen ? chosen.filter((each) => each !== id) : [...chosen, id])
  return <input type="checkbox" checked={isChosen} onChange={toggle} aria-label={`Compare ${name}`} />
}

function Name({ row }: { readonly row: JobView }) {
  return (
    <>
      <a href={jobHref(row.id)}>{row.name}</a>
      <span class="narrow">
        <StateBadge state={row.state} />{' '}
        {row.state === 'running' && row.left !== undefined && `${timeText(row.left)} left`}
      </span>
      <small>
        {kindText(row.kind)}: {row.about}
      </small>
      <Tags tags={row.tags} />
      <small>{row.problem ?? dateText(row.created)}</small>
      <span class="narrow">
        <DoneBar row={row} />
      </span>
    </>
  )
}

/** The jobs that are ticked: the address has them. */
function chosenIds(): string[] {
  return (route.value.params.get('chosen') ?? '').split(',').filter((id) => id !== '')
}

/** Ticks other jobs. */
function choose(ids: readonly string[]): void {
  setParams({ chosen: ids.join(',') })
}
