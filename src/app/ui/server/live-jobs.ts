import { basename, join } from 'node:path'
import type { NamedPoint, Variables } from '../../../optimizer/core/variable-types.ts'
import { flatPoint, makeVariables } from '../../../optimizer/core/variables.ts'
import { className } from '../../../robustness/images/index.ts'
import { follow } from '../../jobs/any-job.ts'
import { readImage } from '../../jobs/evaluation/attack-files.ts'
import { itemDone } from '../../jobs/evaluation/attack-meter.ts'
import { readAttack } from '../../jobs/evaluation/attack-record.ts'
import { readEvaluation } from '../../jobs/evaluation/status.ts'
import type { ItemDone, JobEvent, Progress } from '../../jobs/index.ts'
import { savedBest } from '../../store/index.ts'
import type { Coordinate, ItemRow, JobView, PictureName, ProgressMessage, SavedAt } from '../api.ts'
import type { EventStream } from './event-stream.ts'
import type { FoundJob, JobScanner } from './scanner.ts'

/** Milliseconds between two looks at the list. */
const scanInterval = 2000

/** Milliseconds between two looks at what a run has saved. */
const savedInterval = 1000

/** What is known of a job at work beyond its files. */
interface Live {
  progress: Partial<JobView>
  point?: readonly Coordinate[] | undefined
  /** When the point was last looked for in what the run has saved. */
  looked?: number
}

/**
 * Follows all running jobs of a folder, whichever process performs them, and tells what happens. A job whose owner tells
 * its events itself is not followed by its files.
 */
export class LiveJobs {
  readonly scanner: JobScanner
  readonly #stream: EventStream
  readonly #items = new ItemStore()
  readonly #live = new Map<string, Live>()
  readonly #followed = new Map<string, AbortController>()
  readonly #told = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(scanner: JobScanner, stream: EventStream) {
    this.scanner = scanner
    this.#stream = stream
  }

  async start(): Promise<void> {
    await this.refresh()
    const again = async (): Promise<void> => {
      const began = performance.now()
      await this.refresh().catch(() => undefined)
      if (this.#isClosed) return
      // A folder with thousands of jobs must not keep the server busy.
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
        const { id, state } = change.job
        const wasRunning = this.#live.has(id)
        if (state !== 'running') this.#live.delete(id)
        if (state !== 'running' || !wasRunning)
          this.#stream.publish({ type: 'job', job: this.viewOf(id) ?? change.job })
      }
    }
    for (const job of this.scanner.jobs.values()) {
      if (job.view.state === 'running' && job.parent === undefined) this.#follow(job)
    }
  }

  /** A job as it is now. */
  viewOf(id: string): JobView | undefined {
    const row = this.scanner.jobs.get(id)?.view
    if (row === undefined || row.state !== 'running') return row
    return { ...row, ...this.#live.get(id)?.progress }
  }

  /** All jobs as they are now, those that are part of others left out. */
  views(): JobView[] {
    const top = [...this.scanner.jobs.values()].filter(({ parent }) => parent === undefined)
    return top.map(({ id, view }) => this.viewOf(id) ?? view)
  }

  /** The best point so far of a run at work, if its owner tells it. */
  pointOf(id: string): readonly Coordinate[] | undefined {
    return this.#live.get(id)?.point
  }

  /** The images of an evaluation that are done. */
  itemsOf({ id, folder, view }: FoundJob): Map<number, ItemRow> {
    const version = view.state === 'running' ? 'running' : JSON.stringify([view.state, view.items, view.robustAccuracy])
    return this.#items.all(id, folder, version)
  }

  /** What the owner of a job tells. */
  take(folder: string, event: JobEvent): void {
    this.#told.add(this.scanner.idOf(folder))
    this.#followed.get(this.scanner.idOf(folder))?.abort()
    void this.#handle(folder, event).catch(() => undefined)
  }

  #follow({ id, folder }: FoundJob): void {
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

  async #handle(folder: string, event: JobEvent): Promise<void> {
    const path = event.work.startsWith(`${basename(folder)}/`)
      ? join(folder, event.work.slice(basename(folder).length + 1))
      : folder
    const id = this.scanner.idOf(path)
    if (event.type === 'started') {
      this.#live.set(id, { progress: {} })
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

  #progress(id: string, parent: string | undefined, event: Progress & JobEvent): void {
    const live = this.#live.get(id) ?? { progress: {} }
    this.#live.set(id, live)
    const { iterations, queries, best, rate, left, phase, waiting, items, tail, at } = event
    const kind = this.scanner.jobs.get(id)?.view.kind
    const known = Object.fromEntries(
      Object.entries({ iterations, queries, best, rate, left, items }).filter(([, each]) => each !== undefined),
    )
    live.progress = { ...live.progress, ...known, phase, waiting }
    const point = pointIn(event)
    live.point = point ?? live.point
    const rows = tail.map((each) => [each.iteration, each.queries, each.seconds, each.value, each.best] as const)
    const found = point === undefined && kind === 'run' ? this.#saved(id, live, at) : { point }
    this.#publish(id, live, { ...found, tail: rows })
    const whole = parent === undefined ? undefined : this.scanner.idOf(parent)
    const above = whole === undefined ? undefined : this.#live.get(whole)
    if (whole === undefined || above === undefined) return
    above.progress = { ...above.progress, rate }
    this.#publish(whole, above, { tail: [] })
  }

  #publish(id: string, { progress }: Live, more: Omit<ProgressMessage, 'type' | 'job'>): void {
    const view = this.scanner.jobs.get(id)?.view
    if (view !== undefined) this.#stream.publish({ type: 'progress', job: { ...view, ...progress }, ...more })
  }

  /** The best point of a run that another process performs, as often as it can have changed. */
  #saved(id: string, live: Live, at: number): Partial<SavedPoint> {
    const job = this.scanner.jobs.get(id)
    if (job === undefined || at - (live.looked ?? 0) < savedInterval) return {}
    live.looked = at
    return savedPoint(job.folder) ?? {}
  }

  #item(id: string, folder: string, { index }: ItemDone): void {
    const job = this.scanner.jobs.get(id)
    if (job === undefined) return
    const items = this.itemsOf(job)
    const record = readImage(folder, index)
    if (record === undefined) return
    const item = itemRow(record, readAttack(folder).images.classNames)
    // Of a job that is followed, what is done already is told first.
    if (JSON.stringify(items.get(index)) === JSON.stringify(item)) return
    items.set(index, item)
    this.#stream.publish({ type: 'item', id, item })
  }
}

function pointIn({ variables, point }: Progress): Coordinate[] | undefined {
  if (variables !== undefined) return namedCoordinates(variables)
  return point && coordinates(point)
}

type StoredImage = ReturnType<typeof readEvaluation>['report']['images'][number]

/** An image as the gallery shows it. */
export function itemRow(image: StoredImage, classNames: readonly string[] | undefined): ItemRow {
  const { type: _, pictures: __, ...item } = itemDone(image, classNames)
  const before = image.predicted ?? image.label
  return {
    ...item,
    firstQueries: image.first?.queries,
    before: before === null ? undefined : (className(before, classNames) ?? String(before)),
    methods: methodsIn(image),
    pictures: pictureNames(image),
  }
}

/** The way back from a success is no method of its own. */
function methodsIn({ methods = [] }: StoredImage): string[] {
  const tried = methods.filter(({ method }) => method !== 'back')
  const fooling = tried.filter(({ fooled }) => fooled)
  return [...new Set((fooling.length > 0 ? fooling : tried).map(({ method }) => method))]
}

function pictureNames({ files }: StoredImage): PictureName[] {
  const names: PictureName[] = ['original', 'adversarial', 'perturbation']
  return names.filter((name) => typeof files?.[name] === 'string')
}

/** What the gallery is asked for. */
export interface ItemQuery {
  readonly status?: string | undefined
  /** A class by name: what an image is, or what the model takes it for. */
  readonly class?: string | undefined
  readonly method?: string | undefined
  readonly sort?: string | undefined
  readonly after?: number | undefined
  readonly count: number
}

/** The images that are asked for, and how many there are of that kind. */
export function selectItems(all: readonly ItemRow[], query: ItemQuery) {
  const { status, class: wanted, method, sort, after, count } = query
  const items = all
    .filter((item) => status === undefined || item.status === status)
    .filter((item) => wanted === undefined || namesOf(item).includes(wanted))
    .filter((item) => method === undefined || item.methods.includes(method))
    .sort(orders.get(sort ?? '') ?? byIndex)
  const from = after === undefined ? 0 : items.findIndex(({ index }) => index === after) + 1
  const shown = items.slice(from, from + count)
  const next = from + count < items.length ? shown.at(-1)?.index : undefined
  return { items: shown, total: items.length, next }
}

type Order = (a: ItemRow, b: ItemRow) => number

const byIndex: Order = (a, b) => a.index - b.index

const orders: ReadonlyMap<string, Order> = new Map([
  ['queries', (a, b) => (a.firstQueries ?? Infinity) - (b.firstQueries ?? Infinity) || byIndex(a, b)],
  ['distance', (a, b) => (a.l2 ?? Infinity) - (b.l2 ?? Infinity) || byIndex(a, b)],
])

/** The classes that some images have, or are taken for. */
export function classesOf(items: readonly ItemRow[]): string[] {
  return [...new Set(items.flatMap(namesOf))].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
}

/** The methods that some images were attacked with. */
export function methodsOf(items: readonly ItemRow[]): string[] {
  return [...new Set(items.flatMap(({ methods }) => methods))]
}

/** What an image is, and what the model takes it for, by name or by number. */
function namesOf({ before, label, labelName, predicted, predictedName }: ItemRow): string[] {
  return [before, labelName ?? label, predictedName ?? predicted].filter((name) => name !== undefined).map(String)
}

/** The images of evaluations, kept as long as their files have not changed. */
class ItemStore {
  readonly #kept = new Map<string, { readonly version: string; readonly items: Map<number, ItemRow> }>()

  /** All images that are done. `version` says when to read them again. */
  all(id: string, folder: string, version: string): Map<number, ItemRow> {
    const known = this.#kept.get(id)
    if (known?.version === version) return known.items
    const items = new Map(readItems(folder).map((item) => [item.index, item]))
    this.#kept.set(id, { version, items })
    return items
  }

  forget(id: string): void {
    this.#kept.delete(id)
  }
}

function readItems(folder: string): ItemRow[] {
  try {
    const { record, report } = readEvaluation(folder)
    return report.images.map((image) => itemRow(image, record.images.classNames))
  } catch {
    // A universal perturbation has no images before its end.
    return []
  }
}

/** Coordinates of a point that are shown. */
const mostCoordinates = 50

/** A best point, and when it was saved. */
export interface SavedPoint {
  readonly point: readonly Coordinate[]
  readonly saved: SavedAt
}

/** The best point of a run that does not tell it: as it was last saved, in the units of its spec. */
export function savedPoint(folder: string): SavedPoint | undefined {
  const best = savedBest(folder)
  if (best === undefined) return undefined
  const { point, spec, ...saved } = best
  if (spec.variables === undefined) return { point: coordinates(point), saved }
  const { named, ownPoint } = makeVariables(spec.variables as unknown as Variables)
  return { point: namedCoordinates(named(ownPoint(point))), saved }
}

/** The first coordinates of a point that has no names. */
export function coordinates(point: ArrayLike<number>): Coordinate[] {
  return Array.from(point)
    .slice(0, mostCoordinates)
    .map((value, i) => ({ name: `x${i + 1}`, value }))
}

/** The first coordinates of a point by name. */
export function namedCoordinates(point: NamedPoint): Coordinate[] {
  return flatPoint(point)
    .slice(0, mostCoordinates)
    .map(([name, value]) => ({ name, value }))
}
