import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { isUnmeasured } from '../../../robustness/records.ts'
import { viewJob } from '../../jobs/any-job.ts'
import { layout, readImages, readJson } from '../../jobs/evaluation/attack-files.ts'
import { readAttack } from '../../jobs/evaluation/attack-record.ts'
import { kindOf } from '../../jobs/folders.ts'
import type { ItemCounts, JobKind } from '../../jobs/index.ts'
import type { JobView as StoredView } from '../../jobs/job.ts'
import { requirePlan } from '../../jobs/plan.ts'
import { milliseconds } from '../../provenance/wall-clock.ts'
import { readOverview, sampleTrace } from '../../store/index.ts'
import type { JobList, JobView } from '../api.ts'

/** A job that was found, and where. */
export interface FoundJob {
  readonly id: string
  readonly folder: string
  /** Of a member: the id of the job it is part of. */
  readonly parent?: string | undefined
  view: JobView
}

/** What has changed since the last scan. */
export type Change = { readonly type: 'job'; readonly job: JobView } | { readonly type: 'gone'; readonly id: string }

/** Milliseconds after which a folder that has not changed since is taken to be as it was read. */
const settling = 3000

/** Jobs read before other things get their turn. */
const perTurn = 20

interface Kept extends FoundJob {
  changed: number
  read: number
}

/**
 * The jobs of a folder, by ids that are no paths: whatever a request asks for, it gets what the scan has found or nothing.
 * Links are passed over, so that nothing outside the folder is found.
 */
export class JobScanner {
  readonly root: string
  readonly #jobs = new Map<string, Kept>()
  #scanning: Promise<Change[]> | undefined

  constructor(root: string) {
    this.root = resolve(root)
  }

  get jobs(): ReadonlyMap<string, FoundJob> {
    return this.#jobs
  }

  /** The id that the job in a folder has, or would have. */
  idOf(folder: string): string {
    const path = relative(this.root, resolve(folder)).split(sep).join('/')
    const name = basename(resolve(folder))
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 48)
      .replace(/^-+|-+$/g, '')
    const hash = createHash('sha256').update(path).digest('hex').slice(0, 10)
    return name === '' ? hash : `${name}-${hash}`
  }

  /** Looks at the folder again; jobs that have not changed are not read again. One scan at a time. */
  scan(): Promise<Change[]> {
    this.#scanning ??= this.#scan().finally(() => {
      this.#scanning = undefined
    })
    return this.#scanning
  }

  async #scan(): Promise<Change[]> {
    const found = new Set<string>()
    const changes: Change[] = []
    let count = 0
    const visit = async (folder: string, parent?: string): Promise<void> => {
      const kind = kindOf(folder)
      if (kind === undefined) return
      const id = this.idOf(folder)
      found.add(id)
      if (++count % perTurn === 0) await turn()
      const job = await this.#refresh(id, folder, parent)
      if (job !== undefined) changes.push({ type: 'job', job })
      if (kind === 'series' || kind === 'tuning') for (const each of foldersIn(folder)) await visit(each, id)
    }
    if (kindOf(this.root) === undefined) for (const each of foldersIn(this.root)) await visit(each)
    else await visit(this.root)
    for (const id of [...this.#jobs.keys()].filter((each) => !found.has(each))) {
      this.#jobs.delete(id)
      changes.push({ type: 'gone', id })
    }
    return changes
  }

  /** Reads a job that may have changed; its row if that is another. */
  async #refresh(id: string, folder: string, parent: string | undefined): Promise<JobView | undefined> {
    const known = this.#jobs.get(id)
    const changed = lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0
    const isSettled = known !== undefined && known.view.state !== 'running' && known.read - known.changed > settling
    if (isSettled && known.changed === changed) return undefined
    const read = milliseconds()
    const view = await readView(folder, id, parent)
    this.#jobs.set(id, { id, folder, parent, view, changed, read })
    return known !== undefined && JSON.stringify(known.view) === JSON.stringify(view) ? undefined : view
  }
}

/** The folders in a folder, links left out. */
function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
  } catch {
    return []
  }
}

/** A file below a folder; undefined if it is none, or leads out of the folder by a link. */
export function fileWithin(folder: string, path: string): string | undefined {
  try {
    const inside = realpathSync(folder)
    const file = realpathSync(resolve(folder, path))
    return file.startsWith(inside + sep) && lstatSync(file).isFile() ? file : undefined
  } catch {
    return undefined
  }
}

type Spec = Readonly<Record<string, unknown>>

/** Places of a trace that a small curve in the list has. */
const sparkPoints = 24

/** What the list shows of a job, from its files. One that cannot be read says why. */
async function readView(folder: string, id: string, parent: string | undefined): Promise<JobView> {
  const status = await viewJob(folder)
  const { kind, state, created, iterations, queries, best, value, setting, seconds, items, reason, problem } = status
  const { note, tags } = status
  const bare: JobView = {
    ...{ id, name: basename(folder), kind, state, parent, about: '', created, iterations, queries },
    ...{ best, value, setting, seconds, items, reason, problem, note, tags },
  }
  if (state === 'damaged') return bare
  try {
    return { ...bare, ...(await more[kind](folder, status)) }
  } catch (error) {
    return { ...bare, state: 'damaged', problem: (error as Error).message }
  }
}

/** What each kind of job has beside its status. */
const more: Readonly<Record<JobKind, (folder: string, status: StoredView) => Promise<Partial<JobView>>>> = {
  async run(folder) {
    const { spec } = (await readOverview(folder)).meta
    const spark = sampleTrace(folder, { points: sparkPoints, mostBytes: 0 }).records.map(({ best }) => best)
    return { about: runAbout(spec), maxQueries: numberIn(spec, 'maxQueries'), spark }
  },
  async series(folder, { items }) {
    const { spec, seeds } = await requirePlan(folder)
    const each = numberIn(spec, 'maxQueries')
    const maxQueries = each === undefined ? undefined : each * (items?.total ?? seeds.length)
    return { about: `${runAbout(spec)}, ${seeds.length} seeds`, maxQueries }
  },
  async tuning(folder) {
    const { spec } = await requirePlan(folder)
    return { about: `learning rate of ${'model' in spec ? attackAbout(spec) : runAbout(spec)}` }
  },
  async evaluation(folder, { items }) {
    const about = attackAbout(readAttack(folder).spec)
    const { summary } = (readJson(join(folder, layout.summary)) ?? {}) as {
      summary?: Record<string, number> & { readonly finalObjective?: { readonly mean: number } }
    }
    if (summary === undefined) return { about, items: { ...(items ?? { done: 0, total: 0 }), ...countsOf(folder) } }
    const {
      attacked = 0,
      fooled = 0,
      failed = 0,
      unfinished = 0,
      unconfirmed = 0,
      robustAccuracy,
      finalObjective,
    } = summary
    const total = attacked + unfinished + unconfirmed
    return {
      about,
      robustAccuracy,
      value: finalObjective?.mean,
      items: { done: attacked, total, fooled, failed: failed + unfinished + unconfirmed },
    }
  },
}

function countsOf(folder: string): Pick<ItemCounts, 'fooled' | 'failed'> {
  const images = [...readImages(folder).values()]
  return {
    fooled: images.filter(({ status }) => status === 'fooled').length,
    failed: images.filter(isUnmeasured).length,
  }
}

function runAbout(spec: Spec): string {
  const { dim, variables, objective, solver } = spec
  const count = typeof dim === 'number' ? dim : Object.keys(variables ?? {}).length
  const size = count > 0 ? `${count} ${count === 1 ? 'variable' : 'variables'}` : ''
  return [nameOf(objective), size, nameOf(solver)].filter((text) => text !== '').join(', ')
}

function attackAbout({ model, count, solver, problem }: Spec): string {
  const images = typeof count === 'number' ? `${count} ${count === 1 ? 'image' : 'images'}` : 'all images'
  return [nameOf(model), images, nameOf(solver), nameOf(problem)].filter((text) => text !== '').join(', ')
}

/** What a part of a spec is called: the file of a model or a module says more than its kind. */
function nameOf(part: unknown): string {
  if (typeof part === 'string') return part
  const { name = '', file, module, model, function: own } = (part ?? {}) as Readonly<Record<string, unknown>>
  const place = [file, module, model, own].find((each) => typeof each === 'string')
  return place === undefined ? String(name) : basename(String(place))
}

function numberIn(spec: Spec, key: string): number | undefined {
  const value = spec[key]
  return typeof value === 'number' ? value : undefined
}

/** Which jobs a list shows, and in which order. */
export interface ListQuery {
  /** A part of the name, or of what it is about. */
  readonly text?: string | undefined
  readonly kind?: string | undefined
  readonly state?: string | undefined
  readonly sort?: string | undefined
  /** The id of the last job of the page before. */
  readonly after?: string | undefined
  readonly count: number
}

type Order = (a: JobView, b: JobView) => number

/** A page of the jobs that match, those at work first. */
export function selectJobs(
  views: readonly JobView[],
  { text = '', kind, state, sort, after, count }: ListQuery,
): Omit<JobList, 'folder' | 'mayControl'> {
  const wanted = text.trim().toLowerCase()
  const rows = views
    .filter((row) => !kind || row.kind === kind)
    .filter((row) => !state || row.state === state)
    .filter(({ name, about, note, tags = [] }) => [name, about, note, ...tags].join(' ').toLowerCase().includes(wanted))
    .sort(orders.get(sort ?? '') ?? latestFirst)
  const from = after === undefined ? 0 : rows.findIndex(({ id }) => id === after) + 1
  const shown = rows.slice(from, from + count)
  const next = from + count < rows.length ? shown.at(-1)?.id : undefined
  return { rows: shown, total: rows.length, all: views.length, next }
}

const running: Order = (a, b) => Number(b.state === 'running') - Number(a.state === 'running')
const byName: Order = (a, b) => a.name.localeCompare(b.name, 'en', { numeric: true })
const latestFirst: Order = (a, b) =>
  running(a, b) || (b.created ?? '').localeCompare(a.created ?? '', 'en') || byName(a, b)

/** By names that come from a request: no object, whose prototype has names, too. */
const orders: ReadonlyMap<string, Order> = new Map([
  ['name', byName],
  ['best', (a, b) => ascending(resultOf(a), resultOf(b)) || byName(a, b)],
  ['queries', (a, b) => (b.queries ?? 0) - (a.queries ?? 0) || byName(a, b)],
])

/** The number that the list shows. */
function resultOf({ kind, robustAccuracy, value, best }: JobView): JobView['best'] {
  return kind === 'evaluation' ? robustAccuracy : (value ?? best)
}

function ascending(a: number | null | undefined, b: number | null | undefined): number {
  const [one, other] = [a, b].map((each) => (typeof each === 'number' && !Number.isNaN(each) ? each : Infinity))
  return one === other ? 0 : (one as number) - (other as number)
}
