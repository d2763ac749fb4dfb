import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Message, WorkRow } from '../api.ts'
import { epoch, onMessage } from './stream.ts'

/** Every work that was heard of, as it is now. */
export const rows = signal<ReadonlyMap<string, WorkRow>>(new Map())

/** Warnings that came while the page was open, by work. */
export const warnings = signal<ReadonlyMap<string, readonly string[]>>(new Map())

const mostWarnings = 20

/** Changes wait for the next frame, so that a hundred events a second draw no more often than the screen does. */
let waiting: Map<string, WorkRow> | undefined

/** Takes over rows that were fetched. */
export function keepRows(fetched: readonly WorkRow[]): void {
  change((known) => {
    for (const row of fetched) known.set(row.id, row)
  })
}

function change(act: (known: Map<string, WorkRow>) => void): void {
  if (waiting === undefined) {
    waiting = new Map(rows.value)
    requestAnimationFrame(flush)
    // In a hidden tab there are no frames.
    setTimeout(flush, 250)
  }
  act(waiting)
}

function flush(): void {
  if (waiting === undefined) return
  rows.value = waiting
  waiting = undefined
}

/** Keeps rows up to date. */
export function takeMessage(message: Message): void {
  if (message.type === 'work') change((known) => known.set(message.row.id, message.row))
  if (message.type === 'gone') change((known) => void known.delete(message.id))
  if (message.type === 'progress') {
    change((known) => {
      const row = known.get(message.id)
      if (row !== undefined) known.set(message.id, { ...row, ...message.row, spark: longer(row, message.row.best) })
    })
  }
  if (message.type === 'warning') {
    const known = warnings.value.get(message.id) ?? []
    if (known.includes(message.message)) return
    warnings.value = new Map(warnings.value).set(message.id, [...known, message.message].slice(-mostWarnings))
  }
}

/** The small curve of a run with another value; every second one goes when there are many. */
function longer({ kind, spark = [] }: WorkRow, best: WorkRow['best']): WorkRow['spark'] {
  if (kind !== 'run' || best === undefined) return spark
  const all = [...spark, best]
  return all.length > 96 ? all.filter((_, i) => i % 2 === 1) : all
}

/** Something that was fetched, is being fetched, or could not be. */
export interface Fetched<T> {
  readonly value?: T | undefined
  readonly error?: string | undefined
  readonly isLoading: boolean
  readonly reload: () => void
}

/** Fetches something, and again when `key` changes or events were lost. The old one stays until the new one is there. */
export function useFetched<T>(key: string, fetchIt: () => Promise<T>): Fetched<T> {
  const [state, setState] = useState<{ key: string; value?: T; error?: string }>({ key: '' })
  const [again, setAgain] = useState(0)
  const latest = useRef('')
  const version = `${key} ${epoch.value} ${again}`
  useEffect(() => {
    latest.current = version
    fetchIt().then(
      (value) => latest.current === version && setState({ key: version, value }),
      (error: Error) =>
        latest.current === version &&
        setState(({ value }) => ({ key: version, error: error.message, ...(value === undefined ? {} : { value }) })),
    )
  }, [version])
  return {
    value: state.value,
    error: state.error,
    isLoading: state.key !== version,
    reload: () => setAgain((n) => n + 1),
  }
}

/** Calls back for every message while a component is shown. */
export function useMessages(listener: (message: Message) => void): void {
  const latest = useRef(listener)
  latest.current = listener
  useEffect(() => onMessage((message) => latest.current(message)), [])
}
