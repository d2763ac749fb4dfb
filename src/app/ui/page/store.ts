import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { JobView, Message } from '../api.ts'

/** Every job that was heard of, as it is now. */
export const rows = signal<ReadonlyMap<string, JobView>>(new Map())

/** Warnings that came while the page was open, by job. */
export const warnings = signal<ReadonlyMap<string, readonly string[]>>(new Map())

const mostWarnings = 20

/** Changes wait for the next frame, so that a hundred events a second draw no more often than the screen does. */
let waiting: Map<string, JobView> | undefined

/** Takes over rows that were fetched. */
export function keepRows(fetched: readonly JobView[]): void {
  change((known) => {
    for (const row of fetched) known.set(row.id, row)
  })
}

function change(act: (known: Map<string, JobView>) => void): void {
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
  if (message.type === 'job') change((known) => known.set(message.job.id, message.job))
  if (message.type === 'gone') change((known) => void known.delete(message.id))
  if (message.type === 'progress') {
    change((known) => known.has(message.job.id) && known.set(message.job.id, message.job))
  }
  if (message.type === 'warning') {
    const known = warnings.value.get(message.id) ?? []
    if (known.includes(message.message)) return
    warnings.value = new Map(warnings.value).set(message.id, [...known, message.message].slice(-mostWarnings))
  }
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

/** Whether what is shown is up to date; `locked` if the server was started anew, with another token. */
export const connection = signal<'connecting' | 'live' | 'lost' | 'locked'>('connecting')

/** Grows when everything has to be fetched again: events were lost. */
const epoch = signal(0)

type Listener = (message: Message) => void

/** What one tab tells the others. */
type Relayed =
  | { readonly type: 'message'; readonly message: Message }
  | { readonly type: 'beat' | 'reset' | 'lost' | 'locked' | 'live' | 'hello' }

const listeners = new Set<Listener>()

/** Milliseconds without a sign of life after which a tab opens a stream of its own. */
const silence = 40_000
const longestWait = 15_000

/** Calls back with whatever the server tells, until the function that is returned is called. */
export function onMessage(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Begins to listen. A browser opens six connections to a server, so that of many tabs only one has a stream, and passes on
 * what it hears.
 */
export function connect(): void {
  const name = `zeroth ${location.pathname}`
  const canShare = 'locks' in navigator && 'BroadcastChannel' in globalThis
  if (!canShare) {
    openWhileSeen()
    return
  }
  const channel = new BroadcastChannel(name)
  let heard = performance.now()
  let isLeader = false
  let isSecond = false
  channel.onmessage = ({ data }: MessageEvent<Relayed>) => {
    if (data.type === 'hello') {
      if (isLeader) channel.postMessage({ type: isOff(connection.value) ? connection.value : 'live' })
      return
    }
    heard = performance.now()
    isSecond = true
    take(data)
  }
  channel.postMessage({ type: 'hello' })
  const lead = (): void => {
    if (isLeader) return
    isLeader = true
    const tell = (relayed: Relayed): void => {
      take(relayed)
      channel.postMessage(relayed)
    }
    // Between the stream of the tab that led before and this one, something may have been missed.
    openStream(tell, isSecond)
  }
  void navigator.locks.request(name, () => {
    lead()
    return new Promise(() => undefined)
  })
  setInterval(() => {
    if (performance.now() - heard > silence) lead()
  }, silence / 8)
}

/** Where tabs cannot share (a page of another machine without https), hidden ones close their stream. */
function openWhileSeen(): void {
  let close = openStream(take)
  addEventListener('visibilitychange', () => {
    close()
    if (document.visibilityState === 'visible') close = openStream(take, true)
  })
}

function take(relayed: Relayed): void {
  if (relayed.type === 'message') for (const listener of listeners) listener(relayed.message)
  if (relayed.type === 'reset') epoch.value++
  connection.value = isOff(relayed.type) ? relayed.type : 'live'
}

function isOff(state: string): state is 'lost' | 'locked' {
  return state === 'lost' || state === 'locked'
}

/** A stream that opens again by itself, also if a browser would give up. */
function openStream(tell: (relayed: Relayed) => void, isAnother = false): () => void {
  let current: EventSource | undefined
  let isClosed = false
  let last = ''
  let wait = 1000
  let wasLost = isAnother
  const open = (): void => {
    if (isClosed) return
    current?.close()
    const source = new EventSource(`api/events${last === '' ? '' : `?after=${encodeURIComponent(last)}`}`)
    current = source
    source.addEventListener('beat', ({ lastEventId }) => {
      // The first one says where this stream begins.
      if (last === '') last = lastEventId
      wait = 1000
      tell({ type: 'beat' })
    })
    source.addEventListener('reset', () => {
      last = ''
      tell({ type: 'reset' })
    })
    source.onmessage = ({ data, lastEventId }: MessageEvent<string>) => {
      last = lastEventId
      tell({ type: 'message', message: JSON.parse(data) })
    }
    source.onopen = () => {
      if (wasLost) tell({ type: 'reset' })
      wasLost = false
    }
    source.onerror = () => {
      wasLost = true
      const isGivenUp = source.readyState === EventSource.CLOSED
      // A stream does not say why it was refused.
      void (isGivenUp ? isLocked() : Promise.resolve(false)).then((locked) =>
        tell({ type: locked ? 'locked' : 'lost' }),
      )
      if (!isGivenUp) return
      setTimeout(open, wait)
      wait = Math.min(2 * wait, longestWait)
    }
  }
  open()
  return () => {
    isClosed = true
    current?.close()
  }
}

/** Whether the page may stop and resume jobs. */
export const mayControl = document.querySelector<HTMLMetaElement>('meta[name="zeroth-control"]')?.content === 'yes'

/** Whether the server wants another token. */
async function isLocked(): Promise<boolean> {
  return fetch('api/works', { method: 'HEAD', cache: 'no-store' }).then(
    ({ status }) => status === 401,
    () => false,
  )
}

const tokenPlace = `zeroth-token ${location.pathname}`

/**
 * What lets the page change something comes in the address and leaves it at once, so that nobody shares it by mistake. It is
 * kept where only pages of this host and port can read it.
 */
let token = new URLSearchParams(location.search).get('token') ?? ''
if (token !== '') {
  history.replaceState(null, '', `${location.pathname}${location.hash}`)
  storage()?.setItem(tokenPlace, token)
}

/** The storage of this origin; a browser may be told to keep nothing. */
function storage(): Storage | undefined {
  try {
    return localStorage
  } catch {
    return undefined
  }
}

/** Asks the server for something. */
export async function get<Answer>(path: string, params: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== '') query.set(name, String(value))
  }
  const text = query.toString()
  return answerOf(await fetch(`api/${path}${text === '' ? '' : `?${text}`}`, { cache: 'no-store' }))
}

/** Has the server do something. */
export async function post<Answer>(path: string, body: object = {}): Promise<Answer> {
  // Another tab may have been opened by a newer address.
  token = storage()?.getItem(tokenPlace) ?? token
  const headers = { 'content-type': 'application/json', 'x-zeroth-token': token }
  return answerOf(await fetch(`api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) }))
}

async function answerOf<Answer>(response: Response): Promise<Answer> {
  const answer = await response.json().catch(() => ({ error: `the server answered ${response.status}` }))
  if (!response.ok) throw new Error(answer.error ?? `the server answered ${response.status}`)
  return answer
}

/** The address of a picture of an image. */
export function pictureUrl(id: string, index: number, name: string): string {
  return `api/works/${id}/items/${index}/${name}`
}
