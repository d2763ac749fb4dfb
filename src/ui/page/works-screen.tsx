import { useEffect, useRef, useState } from 'preact/hooks'
import type { WorkList } from '../api.ts'
import { Notice, Select } from './elements.tsx'
import { compareHref, route, setParams } from './route.ts'
import { get } from './server.ts'
import { keepRows, rows, useFetched, useMessages } from './store.ts'
import { choose, chosenIds, WorksTable } from './works-table.tsx'

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
