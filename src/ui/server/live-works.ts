import { basename, join } from 'node:path'
import { readImage } from '../../work/evaluation/attack-files.ts'
import { readAttack } from '../../work/evaluation/attack-record.ts'
import { follow } from '../../work/follow.ts'
import type { ItemDone, Progress, WorkEvent } from '../../work/index.ts'
import type { Coordinate, ItemRow, WorkRow } from '../api.ts'
import type { EventStream } from './event-stream.ts'
import { ItemStore, itemRow } from './item-store.ts'
import { coordinates, type SavedPoint, savedPoint } from './saved-point.ts'
import type { FoundWork, WorkScanner } from './scanner.ts'

/** Milliseconds between two looks at the list. */
const scanInterval = 2000

/** Milliseconds between two looks at what a run has saved. */
const savedInterval = 1000

/** What is known of a work at work beyond its files. */
interface Live {
  row: Partial<WorkRow>
  point?: readonly Coordinate[] | undefined
  /** When the point was last looked for in what the run has saved. */
  looked?: number
  /** Images and queries when it was first seen, and when that was. */
  began?: { readonly done: number; readonly queries: number; readonly at: number }
}

/**
 * Follows all running works of a folder, whichever process performs them, and tells what happens. A work whose owner tells
 * its events itself is not followed by its files.
 */
export class LiveWorks {
  readonly scanner: WorkScanner
  readonly #stream: EventStream
  readonly #items = new ItemStore()
  readonly #live = new Map<string, Live>()
  readonly #followed = new Map<string, AbortController>()
  readonly #told = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(scanner: WorkScanner, stream: EventStream) {
    this.scanner = scanner
    this.#stream = stream
  }

  async start(): Promise<void> {
    await this.refresh()
    const again = async (): Promise<void> => {
      const began = performance.now()
      await this.refresh().catch(() => undefined)
      if (this.#isClosed) return
      // A folder with thousands of works must not keep the server busy.
      this.#timer = setTimeout(again, Math.max(scanInterval, 4 * (performance.now() - began)))
      this.#timer.unref()
    }
    this.#timer = setTimeout(again, scanInterval)
    this.#timer.unref()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const each of this.#followed.values()) each.abort()
  }

  /** Looks at the folder now. */
  async refresh(): Promise<void> {
    for (const change of await this.scanner.scan()) {
      if (change.type === 'gone') {
        this.#live.delete(change.id)
        this.#items.forget(change.id)
        this.#stream.publish(change)
      } else {
        const { id, state } = change.row
        const wasRunning = this.#live.has(id)
        if (state !== 'running') this.#live.delete(id)
        if (state !== 'running' || !wasRunning)
          this.#stream.publish({ type: 'work', row: this.rowOf(id) ?? change.row })
      }
    }
    for (const work of this.scanner.works.values()) {
      if (work.row.state === 'running' && work.parent === undefined) this.#follow(work)
    }
  }

  /** A work as it is now. */
  rowOf(id: string): WorkRow | undefined {
    const row = this.scanner.works.get(id)?.row
    if (row === undefined || row.state !== 'running') return row
    return { ...row, ...this.#live.get(id)?.row }
  }

  /** The best point so far of a run at work, where its owner tells it. */
  pointOf(id: string): readonly Coordinate[] | undefined {
    return this.#live.get(id)?.point
  }

  /** The images of an evaluation that are done. */
  itemsOf({ id, folder, row }: FoundWork): Map<number, ItemRow> {
    const version = row.state === 'running' ? 'running' : JSON.stringify([row.state, row.items, row.robustAccuracy])
    return this.#items.all(id, folder, version)
  }

  /** What the owner of a work tells. */
  take(folder: string, event: WorkEvent): void {
    this.#told.add(this.scanner.idOf(folder))
    this.#followed.get(this.scanner.idOf(folder))?.abort()
    void this.#handle(folder, event).catch(() => undefined)
  }

  #follow({ id, folder }: FoundWork): void {
    if (this.#told.has(id) || this.#followed.has(id) || this.#isClosed) return
    const stopping = new AbortController()
    this.#followed.set(id, stopping)
    const all = async (): Promise<void> => {
      for await (const event of follow(folder, { signal: stopping.signal })) await this.#handle(folder, event)
    }
    void all()
      .catch(() => undefined)
      .finally(() => this.#followed.delete(id))
  }

  async #handle(folder: string, event: WorkEvent): Promise<void> {
    const path = event.work.startsWith(`${basename(folder)}/`)
      ? join(folder, event.work.slice(basename(folder).length + 1))
      : folder
    const id = this.scanner.idOf(path)
    if (event.type === 'started') {
      this.#live.set(id, { row: {} })
      this.#items.forget(id)
      await this.refresh()
    } else if (event.type === 'finished') {
      this.#live.delete(id)
      if (path === folder) this.#told.delete(id)
      await this.refresh()
    } else if (event.type === 'progress') this.#progress(id, path === folder ? undefined : folder, event)
    else if (event.type === 'item') this.#item(id, path, event)
    else if (event.code !== 'note') this.#stream.publish({ type: 'warning', id, message: event.message })
  }

  #progress(id: string, parent: string | undefined, event: Progress & WorkEvent): void {
    const live = this.#live.get(id) ?? { row: {} }
    this.#live.set(id, live)
    const { iterations, queries, best, rate, left, phase, waiting, items, tail, at } = event
    const kind = this.scanner.works.get(id)?.row.kind
    // Files tell how many images are done; how fast that goes is found here.
    const counts = kind === 'evaluation' ? this.#evaluated(id, live, at, event) : {}
    const known = Object.fromEntries(
      Object.entries({ iterations, queries, best, rate, left, items }).filter(([, each]) => each !== undefined),
    )
    live.row = { ...live.row, ...known, phase, waiting, ...counts }
    const point = pointIn(event)
    live.point = point ?? live.point
    const rows = tail.map((each) => [each.iteration, each.queries, each.seconds, each.value, each.best] as const)
    const found = point === undefined && kind === 'run' ? this.#saved(id, live, at) : { point }
    this.#stream.publish({ type: 'progress', id, row: this.#judged(id, live.row), ...found, tail: rows })
    if (parent === undefined) return
    const whole = this.scanner.idOf(parent)
    const above = this.#live.get(whole)
    if (above === undefined) return
    above.row = { ...above.row, rate }
    this.#stream.publish({ type: 'progress', id: whole, row: this.#judged(whole, above.row), tail: [] })
  }

  /** Events do not tell what a series or a tuning is judged by: its files do. */
  #judged(id: string, row: Partial<WorkRow>): Partial<WorkRow> {
    const { value, setting } = this.scanner.works.get(id)?.row ?? {}
    return { ...row, value, setting }
  }

  /** The best point of a run that another process performs, as often as it can have changed. */
  #saved(id: string, live: Live, at: number): Partial<SavedPoint> {
    const work = this.scanner.works.get(id)
    if (work === undefined || at - (live.looked ?? 0) < savedInterval) return {}
    live.looked = at
    return savedPoint(work.folder) ?? {}
  }

  #evaluated(id: string, live: Live, at: number, event: Progress): Partial<WorkRow> {
    const work = this.scanner.works.get(id)
    if (work === undefined || event.rate > 0 || event.items === undefined) return {}
    const done = [...this.itemsOf(work).values()]
    const queries = done.reduce((sum, item) => sum + item.queries, 0)
    live.began ??= { done: event.items.done, queries, at }
    const fooled = done.filter(({ status }) => status === 'fooled').length
    const failed = done.filter(({ status }) => status === 'failed' || status === 'unfinished').length
    const [images, elapsed] = [event.items.done - live.began.done, at - live.began.at]
    const left = images > 0 ? ((event.items.total - event.items.done) * elapsed) / images : undefined
    const rate = elapsed > 0 ? ((queries - live.began.queries) / elapsed) * 1000 : 0
    return { queries, rate, left, items: { ...event.items, fooled, failed } }
  }

  #item(id: string, folder: string, { index }: ItemDone): void {
    const work = this.scanner.works.get(id)
    if (work === undefined) return
    const items = this.itemsOf(work)
    const record = readImage(folder, index)
    if (record === undefined) return
    const item = itemRow(record, readAttack(folder).images.classNames)
    // Of a work that is followed, what is done already is told first.
    if (JSON.stringify(items.get(index)) === JSON.stringify(item)) return
    items.set(index, item)
    this.#stream.publish({ type: 'item', id, item })
  }
}

function pointIn({ variables, point }: Progress): Coordinate[] | undefined {
  if (variables !== undefined) return coordinates(Object.values(variables), Object.keys(variables))
  return point && coordinates(point, [])
}
