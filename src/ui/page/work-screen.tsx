import { useEffect, useRef, useState } from 'preact/hooks'
import type { WorkDetail, WorkRow } from '../api.ts'
import { Background, Warnings } from './background.tsx'
import { Controls } from './controls.tsx'
import { Missing, Notice, StateBadge } from './elements.tsx'
import { EvaluationView } from './evaluation-view.tsx'
import { announce } from './live-region.tsx'
import { MembersView } from './members-view.tsx'
import { workHref } from './route.ts'
import { RunView } from './run-view.tsx'
import { get } from './server.ts'
import { keepRows, rows, useFetched, useMessages } from './store.ts'
import { dateText, doneShare, kindText, stopText } from './text.ts'

/** Milliseconds in which images that get done are gathered before their summary is fetched again. */
const patience = 1000

/** One work: what it is, how far it is, what it has found. */
export function WorkScreen({ id }: { readonly id: string }) {
  const state = rows.value.get(id)?.state
  const members = [...rows.value.values()].filter(({ parent }) => parent === id).map(({ state: each }) => each)
  const { value, error, reload } = useFetched(`work ${id} ${state} ${members.join()}`, async () => {
    const detail = await get<WorkDetail>(`works/${id}`)
    keepRows([detail.row, ...(detail.members ?? [])])
    return detail
  })
  useItemsDone(id, reload)
  const row = rows.value.get(id) ?? value?.row
  useAnnouncements(row)
  useEffect(() => {
    document.title = row === undefined ? 'zeroth' : `${row.name} · zeroth`
  }, [row?.name])
  if (row === undefined || value === undefined) {
    return error === undefined ? <p class="remark">Loading…</p> : <Missing error={error} />
  }
  return (
    <>
      <Head row={row} detail={value} />
      {row.problem !== undefined && <Notice isError>{row.problem}</Notice>}
      {row.state === 'failed' && row.reason !== undefined && <Notice isError>It failed: {stopText(row.reason)}</Notice>}
      {row.state !== 'damaged' && <View row={row} detail={value} />}
      <Warnings id={id} detail={value} />
      <Background id={id} detail={value} />
    </>
  )
}

function View({ row, detail }: { readonly row: WorkRow; readonly detail: WorkDetail }) {
  if (row.kind === 'run') return <RunView row={row} detail={detail} />
  if (row.kind === 'evaluation') return <EvaluationView row={row} detail={detail} />
  return <MembersView row={row} detail={detail} />
}

function Head({ row, detail }: { readonly row: WorkRow; readonly detail: WorkDetail }) {
  const parent = row.parent === undefined ? undefined : rows.value.get(row.parent)
  return (
    <header class="head">
      <nav aria-label="Where this is">
        <a href="#/">Works</a>
        {row.parent !== undefined && (
          <>
            {' / '}
            <a href={workHref(row.parent)}>{parent?.name ?? 'the whole'}</a>
          </>
        )}
      </nav>
      <h1>{row.name}</h1>
      <p class="about">
        <StateBadge state={row.state} />
        <span>
          {kindText(row.kind)}
          {row.about !== '' && `: ${row.about}`}
        </span>
        {row.created !== undefined && <span>{dateText(row.created)}</span>}
      </p>
      <Controls row={row} detail={detail} />
    </header>
  )
}

/** Tells those who do not see it when the state changes, and at each tenth of the work. */
function useAnnouncements(row: WorkRow | undefined): void {
  const before = useRef<{ state: string; tenth: number }>(undefined)
  const tenth = row === undefined ? 0 : Math.floor(10 * (doneShare(row) ?? 0))
  useEffect(() => {
    if (row === undefined) return
    const last = before.current
    before.current = { state: row.state, tenth }
    if (last === undefined) return
    if (last.state !== row.state) announce(`${row.name} is now ${row.state}`)
    else if (row.state === 'running' && last.tenth !== tenth) announce(`${row.name}: ${10 * tenth} percent done`)
  }, [row?.state, tenth])
}

/** Fetches the summary again when images have got done. */
function useItemsDone(id: string, reload: () => void): void {
  const [, setTimer] = useState<ReturnType<typeof setTimeout>>()
  useMessages((message) => {
    if (message.type !== 'item' || message.id !== id) return
    setTimer((timer) => {
      if (timer !== undefined) return timer
      return setTimeout(() => {
        setTimer(undefined)
        reload()
      }, patience)
    })
  })
}
