import { closeSync, createReadStream, readdirSync, readFileSync, readSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Readable } from 'node:stream'
import { ZerothError } from '../../../index.ts'
import { messageOf } from '../../../optimizer/core/errors.ts'
import { isObject } from '../../../optimizer/core/options.ts'
import { className } from '../../../robustness/images/index.ts'
import { readImage, readPicture } from '../../jobs/evaluation/attack-files.ts'
import { readAttack } from '../../jobs/evaluation/attack-record.ts'
import { requestStop } from '../../jobs/events.ts'
import { removeJob, renameJob, writeLabel } from '../../jobs/label.ts'
import { openOrdinary, sampleTrace } from '../../store/index.ts'
import type { CurveData, ItemDetail, ItemList, JobList, PictureName } from '../api.ts'
import type { EventStream } from './event-stream.ts'
import { cookieOf, type GuardOptions, refusalOf } from './guard.ts'
import { type Context, Hono, type HttpBindings, RESPONSE_ALREADY_SENT } from './http.ts'
import { readDetail } from './job-detail.ts'
import { itemRow, type LiveJobs, selectItems } from './live-jobs.ts'
import type { Resumer } from './resume.ts'
import { type FoundJob, fileWithin, selectJobs } from './scanner.ts'

/** What answers are made from. */
export interface AppParts {
  readonly jobs: LiveJobs
  readonly stream: EventStream
  readonly guard: GuardOptions
  readonly files: ReadonlyMap<string, PageFile>
  readonly resumer: Resumer
  /** Whether the page may stop and resume jobs. */
  readonly mayControl: boolean
}

type Env = { Bindings: HttpBindings }
type Asked = Context<Env>

/** Bytes that a request may bring along. */
const mostBody = 16 << 10

/** Jobs and images in one answer. */
const perPage = { jobs: 100, items: 60 }

const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const

/** The server as a function from requests to answers. */
export function createApp(parts: AppParts): Hono<Env> {
  const app = new Hono<Env>()
  app.use(async (c, next) => {
    for (const [name, value] of Object.entries(commonHeaders)) c.env.outgoing.setHeader(name, value)
    const { method = '', headers } = c.env.incoming
    const refusal = refusalOf({ method, path: c.req.path, token: c.req.query('token'), headers }, parts.guard)
    if (refusal?.status === 401 && c.req.path === '/') return c.body(lockedPage, 401, htmlHeaders(lockedPolicy))
    if (refusal !== undefined) return c.json({ error: refusal.error }, refusal.status)
    const length = Number(headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : Infinity))
    if (length > mostBody) return c.json({ error: `a request may have ${mostBody} bytes at most` }, 413)
    return next()
  })
  app.get('/', (c) => pageAnswer(c, parts))
  app.get('/assets/*', (c) => fileAnswer(c, parts.files.get(c.req.path)))
  addReads(app, parts)
  addActions(app, parts)
  app.notFound((c) => c.json({ error: 'there is nothing here' }, 404))
  app.onError((error, c) => c.json({ error: error.message }, 500))
  return app
}

/**
 * The page. Who has come by the token in the address gets a cookie, which scripts cannot read and other sites cannot send;
 * the page takes the token out of the address and keeps it for what changes something.
 */
function pageAnswer(c: Asked, { files, guard, mayControl }: AppParts): Response {
  if (c.req.query('token') !== undefined) {
    const { name, value } = cookieOf(guard)
    const { protocol, pathname = '/' } = guard.publicUrl ?? {}
    const secure = protocol === 'https:' ? '; Secure' : ''
    c.header('set-cookie', `${name}=${value}; HttpOnly; SameSite=Strict; Path=${pathname}${secure}`)
  }
  const html = files.get('/index.html')?.bytes.toString() ?? ''
  const page = html.replace('name="zeroth-control"', `$& content="${mayControl ? 'yes' : ''}"`)
  return c.body(page, 200, htmlHeaders(pagePolicy))
}

function htmlHeaders(policy: string): Record<string, string> {
  return { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }
}

/** What those see who have not come by the address that was printed. */
const lockedPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>zeroth</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 10vh auto; padding: 0 1rem }</style>
<main>
<h1>zeroth</h1>
<p>This page needs its token. Open the address that <code>zeroth ui</code> printed when it was started; it ends in
<code>?token=...</code></p>
<p>Each start has a new token, so that an address of an earlier one opens nothing.</p>
</main>
`

const lockedPolicy = `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Names of assets change with what is in them. */
function fileAnswer(c: Asked, file: PageFile | undefined): Response | Promise<Response> {
  if (file === undefined) return c.notFound()
  const body = new Uint8Array(file.bytes)
  return c.body(body, 200, { 'content-type': file.type, 'cache-control': 'private, max-age=31536000, immutable' })
}

function addReads(app: Hono<Env>, parts: AppParts): void {
  const { jobs, stream, mayControl } = parts
  app.get('/api/works', (c) => {
    const { rows, ...counts } = selectJobs(jobs.views(), { ...c.req.query(), count: perPage.jobs })
    return c.json({ rows, ...counts, folder: jobs.scanner.root, mayControl } satisfies JobList)
  })
  app.get('/api/works/:id', async (c) => withJob(c, parts, async (job) => c.json(await readDetail(job, jobs))))
  app.get('/api/works/:id/spec', async (c) =>
    withJob(c, parts, async (job) => {
      const { spec } = await readDetail(job, jobs)
      return Object.keys(spec).length > 0 ? c.json(spec) : c.json({ error: 'its spec cannot be read' }, 404)
    }),
  )
  app.get('/api/works/:id/curve', (c) => withJob(c, parts, async (job) => c.json(curveOf(c, job))))
  app.get('/api/works/:id/report', (c) => withJob(c, parts, (job) => reportAnswer(c, job)))
  app.get('/api/works/:id/items', (c) =>
    withJob(c, parts, (job) => {
      const { status, class: named, method, sort } = c.req.query()
      const query = { status, class: named, method, sort, after: numberIn(c, 'after'), count: perPage.items }
      return c.json(selectItems([...jobs.itemsOf(job).values()], query) satisfies ItemList)
    }),
  )
  app.get('/api/works/:id/items/:index{[0-9]{1,9}}', (c) =>
    withJob(c, parts, (job) => itemAnswer(c, job, Number(c.req.param('index')), jobs)),
  )
  app.get('/api/works/:id/items/:index{[0-9]{1,9}}/:name{original|adversarial|perturbation}', (c) =>
    withJob(c, parts, (job) => pictureAnswer(c, job, Number(c.req.param('index')), c.req.param('name') as PictureName)),
  )
  app.get('/api/events', (c) => {
    // Who asks for the head alone would keep the stream open and never read it.
    if (c.env.incoming.method !== 'GET') return c.json({ error: 'a stream is read with GET' }, 405)
    if (!stream.makeRoom()) return c.json({ error: 'there are too many clients' }, 503)
    const after = c.req.header('last-event-id') ?? c.req.query('after')
    stream.add(c.env.outgoing, after === '' ? undefined : after)
    return RESPONSE_ALREADY_SENT
  })
}

/** Answers about a job if the page may change something. */
type Control = (c: Asked, act: (job: FoundJob) => Promise<Response>) => Response | Promise<Response>

function addActions(app: Hono<Env>, parts: AppParts): void {
  const { jobs, stream, resumer, mayControl } = parts
  const control: Control = (c, act) =>
    mayControl
      ? withJob(c, parts, act)
      : c.json({ error: 'this page is read-only: start the server with --allow-control' }, 403)
  app.post('/api/works/:id/stop', (c) =>
    control(c, async ({ folder }) => c.json({ stopping: await requestStop(folder) })),
  )
  app.post('/api/works/:id/resume', (c) =>
    control(c, async (job) => {
      const { id, folder, parent } = job
      if (parent !== undefined) return c.json({ error: 'it is part of another job: resume that one' }, 409)
      if (jobs.viewOf(id)?.state === 'running') return c.json({ error: 'it is running already' }, 409)
      const { shown, refusal } = await readDetail(job, jobs)
      if (refusal !== undefined) return c.json({ error: refusal }, 403)
      // Who can write to the folder could show one thing and have another run.
      if (((await c.req.json().catch(() => ({}))) as { shown?: unknown }).shown !== shown) {
        return c.json({ error: 'what it executes has changed since it was shown: look at it again' }, 409)
      }
      const resumed = resumer.resume(folder, shown, (message) => {
        stream.publish({ type: 'warning', id, message })
        void jobs.refresh()
      })
      return c.json({ resumed })
    }),
  )
  addChanges(app, parts, control)
}

/** What is done to the folder of a job; one that runs, or is part of another, stays where it is. */
function addChanges(app: Hono<Env>, { jobs }: AppParts, control: Control): void {
  const change = (c: Asked, act: (job: FoundJob, body: Readonly<Record<string, unknown>>) => string) =>
    control(c, async (job) => {
      const body: unknown = await c.req.json().catch(() => undefined)
      try {
        const folder = act(job, isObject(body) ? body : {})
        await jobs.refresh()
        return c.json({ id: jobs.scanner.idOf(folder), folder })
      } catch (error) {
        return c.json({ error: messageOf(error) }, 409)
      }
    })
  const refuseFixed = ({ id, parent, folder }: FoundJob): void => {
    if (parent !== undefined || folder === jobs.scanner.root) throw new Error('it is part of what this page shows')
    if (jobs.viewOf(id)?.state === 'running') throw new Error('it is running: stop it first')
  }
  app.post('/api/works/:id/label', (c) =>
    change(c, (job, { name, ...label }) => {
      writeLabel(job.folder, label)
      if (typeof name !== 'string' || name === job.view.name) return job.folder
      refuseFixed(job)
      return renameJob(job.folder, name)
    }),
  )
  app.post('/api/works/:id/remove', (c) =>
    change(c, (job) => {
      refuseFixed(job)
      return removeJob(job.folder)
    }),
  )
}

/** Answers about a job that the scan has found; 404 for everything else. */
function withJob(c: Asked, { jobs }: AppParts, answer: (job: FoundJob) => Response | Promise<Response>) {
  const job = jobs.scanner.jobs.get(c.req.param('id') ?? '')
  return job === undefined ? c.json({ error: 'there is no such job' }, 404) : answer(job)
}

function curveOf(c: Asked, { folder, view }: FoundJob): CurveData {
  if (view.kind !== 'run') return { rows: [], total: 0 }
  const wanted = c.req.query('x')
  const by = wanted === 'seconds' || wanted === 'iteration' ? wanted : 'queries'
  const bins = Math.min(500, Math.max(10, numberIn(c, 'bins') ?? 120))
  const { records, length } = sampleTrace(folder, {
    ...{ by, points: 4 * bins + 1, from: numberIn(c, 'from'), to: numberIn(c, 'to') },
  })
  const rows = records.map((each) => [each.iteration, each.queries, each.seconds, each.value, each.best] as const)
  return { rows, total: length }
}

function reportAnswer(c: Asked, { folder }: FoundJob): Response | Promise<Response> {
  const file = ['index.html', 'report.html'].map((name) => fileWithin(folder, name)).find((each) => each !== undefined)
  if (file === undefined) return c.notFound()
  return c.body(streamOf(file), 200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': reportPolicy(file),
  })
}

function streamOf(file: string): ReadableStream {
  return Readable.toWeb(createReadStream(file, { fd: openOrdinary(file, 'r') })) as ReadableStream
}

function itemAnswer(c: Asked, job: FoundJob, index: number, jobs: LiveJobs): Response | Promise<Response> {
  if (job.view.kind !== 'evaluation') return c.json({ error: 'this job has no images' }, 404)
  const all = [...jobs.itemsOf(job).values()]
  const record = readImage(job.folder, index)
  const { classNames } = readAttack(job.folder).images
  const item = record === undefined ? all.find((each) => each.index === index) : itemRow(record, classNames)
  if (item === undefined) return c.json({ error: `this job has no image number ${index}` }, 404)
  const indices = all.map((each) => each.index).sort((a, b) => a - b)
  const { curve, target, methods = [], stopReason } = record ?? {}
  return c.json({
    item,
    target: target == null ? undefined : (className(target, classNames) ?? String(target)),
    methods: methods.map(({ method }) => method),
    stopReason: stopReason ?? undefined,
    curve: curve ? { queries: curve.queries, loss: curve.loss, l2: curve.l2sq.map(Math.sqrt) } : undefined,
    previous: indices.findLast((each) => each < index),
    next: indices.find((each) => each > index),
  } satisfies ItemDetail)
}

/** A picture by what the record of its image says, as far as that stays in the folder of the job. */
function pictureAnswer(c: Asked, { folder }: FoundJob, index: number, name: PictureName): Response | Promise<Response> {
  const record = readImage(folder, index)
  const path = record?.files?.[name]
  const file = path === undefined || !path.endsWith('.png') ? undefined : fileWithin(folder, path)
  if (record === undefined || path === undefined || file === undefined) return c.notFound()
  return c.body(new Uint8Array(readPicture(folder, record, path)), 200, {
    'content-type': 'image/png',
    'content-security-policy': `default-src 'none'; sandbox`,
  })
}

function numberIn(c: Asked, name: string): number | undefined {
  const text = c.req.query(name)
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** A file of the page. */
export interface PageFile {
  readonly bytes: Buffer
  readonly type: string
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The files of the built page by their path, read once: whatever is asked for, it is one of these or nothing. */
export function readPageFiles(folder: string): ReadonlyMap<string, PageFile> {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
    const files = names.flatMap((name): [string, PageFile][] => {
      const type = types[extname(name)]
      return type === undefined ? [] : [[`/${name}`, { bytes: readFileSync(join(folder, name)), type }]]
    })
    return new Map(files)
  } catch (cause) {
    throw new ZerothError('storage-failed', `cannot read the page in ${folder}: npm run build makes it`, { cause })
  }
}

/** What the page may load and where it may be shown: nothing of other sites, nowhere else. */
const pagePolicy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `connect-src 'self'`,
  `img-src 'self' data:`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

/** Bytes at the beginning of a report that hold its own policy. */
const policyBytes = 1024

/** The hashes of scripts in the policy that our reports begin with. Nothing else of a file gets into a header. */
const reportScripts =
  /^<!doctype html>\s<html lang="en">\s<head>\s<meta charset="utf-8">\s<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ((?: ?'sha256-[A-Za-z0-9+/]{43}=')+);/

/**
 * What a report may do. It may be a stranger's: it has no part in this origin and reaches nothing. Only the script runs that
 * its own policy names by its hash, as other versions of zeroth may have another; in a page without such a policy none does.
 */
export function reportPolicy(file: string): string {
  const [, hashes = `'none'`] = reportScripts.exec(beginningOf(file)) ?? []
  return [
    'sandbox allow-scripts',
    `default-src 'none'`,
    `script-src ${hashes}`,
    `style-src 'unsafe-inline'`,
    'img-src data:',
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}

function beginningOf(file: string): string {
  const open = openOrdinary(file, 'r')
  try {
    const bytes = Buffer.alloc(policyBytes)
    return bytes.toString('latin1', 0, readSync(open, bytes))
  } finally {
    closeSync(open)
  }
}
