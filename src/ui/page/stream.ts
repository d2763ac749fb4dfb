import { signal } from '@preact/signals'
import type { Message } from '../api.ts'

/** Whether what is shown is up to date. */
export const connection = signal<'connecting' | 'live' | 'lost'>('connecting')

/** Grows when everything has to be fetched again: events were lost. */
export const epoch = signal(0)

type Listener = (message: Message) => void

/** What one tab tells the others. */
type Relayed =
  | { readonly type: 'message'; readonly message: Message }
  | { readonly type: 'beat' | 'reset' | 'lost' | 'live' | 'hello' }

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
      if (isLeader) channel.postMessage({ type: connection.value === 'lost' ? 'lost' : 'live' })
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
  connection.value = relayed.type === 'lost' ? 'lost' : 'live'
}

/** A stream that opens again by itself, also where a browser would give up. */
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
      tell({ type: 'lost' })
      if (source.readyState !== EventSource.CLOSED) return
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
