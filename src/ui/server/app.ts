import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { className } from '../../datasets/index.ts'
import { sampleTrace } from '../../trace/index.ts'
import { readImage } from '../../work/evaluation/attack-files.ts'
import { readAttack } from '../../work/evaluation/attack-record.ts'
import { requestStop } from '../../work/performing.ts'
import type { CurveData, ItemDetail, ItemList, PictureName, WorkList } from '../api.ts'
import type { EventStream } from './event-stream.ts'
import { cookieName, type GuardOptions, isSame, refusalOf } from './guard.ts'
import { type Context, Hono, type HttpBindings, RESPONSE_ALREADY_SENT } from './http.ts'
import { itemRow, selectItems } from './item-store.ts'
import type { LiveWorks } from './live-works.ts'
import { type PageFile, pagePolicy, reportPolicy } from './page-files.ts'
import type { Resumer } from './resume-work.ts'
import { type FoundWork, fileWithin } from './scanner.ts'
import { readDetail } from './work-detail.ts'
import { selectRows } from './work-list.ts'

/** What answers are made from. */
export interface AppParts {
  readonly works: LiveWorks
  readonly stream: EventStream
  readonly guard: GuardOptions
  readonly files: ReadonlyMap<string, PageFile>
  readonly resumer: Resumer
  /** Whether the page may stop and resume works. */
  readonly mayControl: boolean
}

type Env = { Bindings: HttpBindings }
type Asked = Context<Env>

/** Bytes that a request may bring along. */
const mostBody = 16 << 10

/** Works and images in one answer. */
const perPage = { works: 100, items: 60 }

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
    const { method, headers } = c.env.incoming
    const isEntry = c.req.path === '/' && c.req.query('token') !== undefined
    const refusal = refusalOf({ method: method ?? '', path: c.req.path, headers }, parts.guard, isEntry)
    if (refusal !== undefined) return c.json({ error: refusal.error }, refusal.status)
    const length = Number(headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : Infinity))
    if (length > mostBody) return c.json({ error: `a request may have ${mostBody} bytes at most` }, 413)
    return next()
  })
  app.get('/', (c) => (c.req.query('token') === undefined ? pageAnswer(c, parts) : enter(c, parts)))
  app.get('/assets/*', (c) => fileAnswer(c, parts.files.get(c.req.path)))
  addReads(app, parts)
  addActions(app, parts)
  app.notFound((c) => c.json({ error: 'there is nothing here' }, 404))
  app.onError((error, c) => c.json({ error: error.message }, 500))
  return app
}

/** The token leaves the address for a cookie, which scripts cannot read and other sites cannot send. */
function enter(c: Asked, { guard }: AppParts): Response {
  if (!isSame(c.req.query('token') ?? '', guard.token)) return c.json({ error: 'the token is wrong' }, 401)
  const secure = guard.publicUrl?.protocol === 'https:' ? '; Secure' : ''
  c.header('set-cookie', `${cookieName(guard.port)}=${guard.token}; HttpOnly; SameSite=Strict; Path=/${secure}`)
  return c.redirect('./', 303)
}

function pageAnswer(c: Asked, { files, guard, mayControl }: AppParts): Response {
  const html = files.get('/index.html')?.bytes.toString() ?? ''
  const page = html.replace(
    '<meta name="zeroth-token">',
    `<meta name="zeroth-token" content="${mayControl ? guard.token : ''}">`,
  )
  return c.body(page, 200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': pagePolicy })
}

/** Names of assets change with what is in them. */
function fileAnswer(c: Asked, file: PageFile | undefined): Response | Promise<Response> {
  if (file === undefined) return c.notFound()
  const body = new Uint8Array(file.bytes)
  return c.body(body, 200, { 'content-type': file.type, 'cache-control': 'private, max-age=31536000, immutable' })
}

function addReads(app: Hono<Env>, parts: AppParts): void {
  const { works, stream, mayControl } = parts
  app.get('/api/works', (c) => {
    const { rows, ...counts } = selectRows(works, { ...c.req.query(), count: perPage.works })
    return c.json({ rows, ...counts, folder: works.scanner.root, mayControl } satisfies WorkList)
  })
  app.get('/api/works/:id', async (c) => withWork(c, parts, async (work) => c.json(await readDetail(work, works))))
  app.get('/api/works/:id/spec', async (c) =>
    withWork(c, parts, async (work) => {
      const { spec } = await readDetail(work, works)
      return Object.keys(spec).length > 0 ? c.json(spec) : c.json({ error: 'its spec cannot be read' }, 404)
    }),
  )
  app.get('/api/works/:id/curve', (c) => withWork(c, parts, async (work) => c.json(curveOf(c, work))))
  app.get('/api/works/:id/report', (c) => withWork(c, parts, (work) => reportAnswer(c, work)))
  app.get('/api/works/:id/items', (c) =>
    withWork(c, parts, (work) => {
      const { status, class: named, method, sort } = c.req.query()
      const query = { status, class: named, method, sort, after: numberIn(c, 'after'), count: perPage.items }
      return c.json(selectItems([...works.itemsOf(work).values()], query) satisfies ItemList)
    }),
  )
  app.get('/api/works/:id/items/:index{[0-9]{1,9}}', (c) =>
    withWork(c, parts, (work) => itemAnswer(c, work, Number(c.req.param('index')), works)),
  )
  app.get('/api/works/:id/items/:index{[0-9]{1,9}}/:name{original|adversarial|perturbation}', (c) =>
    withWork(c, parts, (work) =>
      pictureAnswer(c, work, Number(c.req.param('index')), c.req.param('name') as PictureName),
    ),
  )
  app.get('/api/events', (c) => {
    // Who asks for the head alone would keep the stream open and never read it.
    if (c.env.incoming.method !== 'GET') return c.json({ error: 'a stream is read with GET' }, 405)
    if (stream.isFull) return c.json({ error: 'there are too many clients' }, 503)
    const after = c.req.header('last-event-id') ?? c.req.query('after')
    stream.add(c.env.outgoing, after === '' ? undefined : after)
    return RESPONSE_ALREADY_SENT
  })
}

function addActions(app: Hono<Env>, parts: AppParts): void {
  const { works, stream, resumer, mayControl } = parts
  const control = (c: Asked, act: (work: FoundWork) => Promise<Response>) =>
    mayControl
      ? withWork(c, parts, act)
      : c.json({ error: 'this page is read-only: start the server with --allow-control' }, 403)
  app.post('/api/works/:id/stop', (c) =>
    control(c, async ({ folder }) => c.json({ stopping: await requestStop(folder) })),
  )
  app.post('/api/works/:id/resume', (c) =>
    control(c, async ({ id, folder, parent }) => {
      if (parent !== undefined) return c.json({ error: 'it is part of another work: resume that one' }, 409)
      if (works.rowOf(id)?.state === 'running') return c.json({ error: 'it is running already' }, 409)
      const resumed = resumer.resume(folder, (message) => {
        stream.publish({ type: 'warning', id, message })
        void works.refresh()
      })
      return c.json({ resumed })
    }),
  )
}

/** Answers about a work that the scan has found; 404 for everything else. */
function withWork(c: Asked, { works }: AppParts, answer: (work: FoundWork) => Response | Promise<Response>) {
  const work = works.scanner.works.get(c.req.param('id') ?? '')
  return work === undefined ? c.json({ error: 'there is no such work' }, 404) : answer(work)
}

function curveOf(c: Asked, { folder, row }: FoundWork): CurveData {
  if (row.kind !== 'run') return { rows: [], total: 0 }
  const wanted = c.req.query('x')
  const by = wanted === 'seconds' || wanted === 'iteration' ? wanted : 'queries'
  const bins = Math.min(500, Math.max(10, numberIn(c, 'bins') ?? 120))
  const { records, length } = sampleTrace(folder, {
    ...{ by, points: 4 * bins + 1, from: numberIn(c, 'from'), to: numberIn(c, 'to') },
  })
  const rows = records.map((each) => [each.iteration, each.queries, each.seconds, each.value, each.best] as const)
  return { rows, total: length }
}

function reportAnswer(c: Asked, { folder }: FoundWork): Response | Promise<Response> {
  const file = ['index.html', 'report.html'].map((name) => fileWithin(folder, name)).find((each) => each !== undefined)
  if (file === undefined) return c.notFound()
  return c.body(streamOf(file), 200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': reportPolicy(file),
  })
}

function streamOf(file: string): ReadableStream {
  return Readable.toWeb(createReadStream(file)) as ReadableStream
}

function itemAnswer(c: Asked, work: FoundWork, index: number, works: LiveWorks): Response | Promise<Response> {
  if (work.row.kind !== 'evaluation') return c.json({ error: 'this work has no images' }, 404)
  const all = [...works.itemsOf(work).values()]
  const record = readImage(work.folder, index)
  const { classNames } = readAttack(work.folder).images
  const item = record === undefined ? all.find((each) => each.index === index) : itemRow(record, classNames)
  if (item === undefined) return c.json({ error: `this work has no image number ${index}` }, 404)
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

/** A picture by what the record of its image says, as far as that stays in the folder of the work. */
function pictureAnswer(
  c: Asked,
  { folder }: FoundWork,
  index: number,
  name: PictureName,
): Response | Promise<Response> {
  const path = readImage(folder, index)?.files?.[name]
  const file = path === undefined || !path.endsWith('.png') ? undefined : fileWithin(folder, path)
  if (file === undefined) return c.notFound()
  return c.body(streamOf(file), 200, {
    'content-type': 'image/png',
    'content-security-policy': `default-src 'none'; sandbox`,
  })
}

function numberIn(c: Asked, name: string): number | undefined {
  const text = c.req.query(name)
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : undefined
}
