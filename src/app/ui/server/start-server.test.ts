import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type JobEvent, openRepeats, openRun, openTuning } from '../../jobs/index.ts'
import { createStore } from '../../jobs/run.ts'
import type { CurveData, JobDetail, JobList } from '../api.ts'
import { startServer, type UiOptions, type UiServer } from './start-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-ui-'))
const [works, page] = [join(folder, 'works'), join(folder, 'page')]
const bounds = [-3, [4, 5]]
const spec = { objective: 'rosenbrock', dim: 2, bounds, solver: 'zo-adamm', maxQueries: 200, seed: 1 }

beforeAll(async () => {
  mkdirSync(join(page, 'assets'), { recursive: true })
  writeFileSync(join(page, 'index.html'), '<meta name="zeroth-control"><title>zeroth</title>')
  writeFileSync(join(page, 'assets/a.js'), 'export {}')
  writeFileSync(join(folder, 'secret.txt'), 'canary')
  for await (const _ of (await openRun(join(works, 'one'), spec)).perform());
  for await (const _ of (await openRepeats(join(works, 'many'), spec, { seeds: [1, 2] })).perform());
  writeFileSync(join(works, 'one/report.html'), '<script>parent.stolen = 1</script>')
  symlinkSync(folder, join(works, 'outside'))
  symlinkSync(join(folder, 'secret.txt'), join(works, 'many/report.html'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const open: UiServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function start(options: Partial<UiOptions> = {}): Promise<UiServer> {
  const server = await startServer({ folder: works, port: 0, program: 'none', page, ...options })
  open.push(server)
  return server
}

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** A request with the token. */
function ask(server: UiServer, path: string, { headers = {}, ...rest }: Parameters<typeof askBare>[2] = {}) {
  return askBare(server, path, { ...rest, headers: { 'x-zeroth-token': server.token, ...headers } })
}

/** A request as it is, without what a client would put right. */
function askBare(
  { port }: UiServer,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { port, host: '127.0.0.1', path, method, headers, setHost: !('host' in headers) },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}

const json = async <T>(server: UiServer, path: string): Promise<T> => JSON.parse((await ask(server, path)).text)
const posting = ({ port, token }: UiServer) => ({
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    origin: `http://127.0.0.1:${port}`,
    'x-zeroth-token': token,
  },
  body: '{}',
})

describe('the works of a folder', () => {
  test('are listed with ids that are no paths, links left out, members not among them', async () => {
    const server = await start()
    const { rows, total, mayControl } = await json<JobList>(server, '/api/works?sort=name')
    expect(total).toBe(2)
    expect(mayControl).toBe(true)
    expect(rows).toMatchObject([
      { name: 'many', kind: 'series', state: 'finished', items: { done: 2, total: 2 } },
      { name: 'one', kind: 'run', state: 'finished', about: 'rosenbrock, 2 variables, zo-adamm', maxQueries: 200 },
    ])
    for (const { id } of rows) expect(id).toMatch(/^[a-z0-9-]{1,64}$/)
    expect((await json<JobList>(server, '/api/works?text=MANY&kind=series')).rows).toHaveLength(1)
    expect((await json<JobList>(server, '/api/works?state=running')).rows).toEqual([])
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const { status, text } = await ask(server, `/api/works?sort=${name}&kind=&${name}=${name}`)
      expect([name, status, (JSON.parse(text) as JobList).rows.length]).toEqual([name, 200, 2])
    }
  })

  test('are told in full, with their course', async () => {
    const server = await start()
    const { rows } = await json<JobList>(server, '/api/works?sort=name')
    const [many, one] = rows.map(({ id }) => id)
    const detail = await json<JobDetail>(server, `/api/works/${one}`)
    expect(detail).toMatchObject({
      spec: { dim: 2, maxQueries: 200 },
      command: 'zeroth minimize spec.json',
      run: { dim: 2, stopReason: 'max-queries', seed: 1 },
      report: 'report.html',
    })
    expect(detail.run?.point).toMatchObject([
      { name: 'x1', lower: -3, upper: 4 },
      { name: 'x2', lower: -3, upper: 5 },
    ])
    const curve = await json<CurveData>(server, `/api/works/${one}/curve?bins=10`)
    expect(curve.total).toBe(detail.job.iterations)
    expect(curve.rows.at(-1)?.[4]).toBeLessThanOrEqual(curve.rows[0]?.[4] as number)
    const series = await json<JobDetail>(server, `/api/works/${many}`)
    expect(series.members?.map(({ name, parent }) => [name, parent])).toEqual([
      ['seed-1', many],
      ['seed-2', many],
    ])
    expect(series.command).toBe('zeroth minimize spec.json --repeat 2 --seed 1')
  })

  test('tell a series by its median, and a tuning by the mean of its best setting', async () => {
    const tuned = join(folder, 'tuned')
    const search = { from: 0.1, to: 1, betas: false }
    for await (const _ of (await openTuning(join(tuned, 'tuning'), spec, { seeds: [1, 2], ...search })).perform());
    for await (const _ of (await openRepeats(join(tuned, 'series'), spec, { seeds: [1, 2, 3] })).perform());
    const server = await start({ folder: tuned })
    const { rows } = await json<JobList>(server, '/api/works?sort=name')
    const [series, tuning] = await Promise.all(rows.map(({ id }) => json<JobDetail>(server, `/api/works/${id}`)))
    const values = (series?.members ?? []).map(({ best }) => best as number).sort((a, b) => a - b)
    expect(series?.job).toMatchObject({ best: values[0], value: values[1] })
    const best = tuning?.tried?.filter(({ isBest }) => isBest) ?? []
    expect(best).toHaveLength(1)
    const means = tuning?.tried?.map(({ value }) => value as number) ?? []
    expect(tuning?.job.value).toBe(Math.min(...means))
    expect(best[0]?.value).toBe(tuning?.job.value)
    expect(tuning?.job.setting).toBe(`learningRate ${best[0]?.setting.learningRate}`)
    expect(tuning?.job.best).toBeLessThan(tuning?.job.value as number)
  })

  test('give their report without a part in the origin of the page, and none behind a link', async () => {
    const server = await start()
    const { rows } = await json<JobList>(server, '/api/works?sort=name')
    const [many, one] = rows.map(({ id }) => id)
    const report = await ask(server, `/api/works/${one}/report`)
    expect(report.headers['content-security-policy']).toMatch(
      /^sandbox allow-scripts; default-src 'none'; script-src 'none';/,
    )
    expect((await ask(server, `/api/works/${many}/report`)).status).toBe(404)
    const { members = [] } = await json<JobDetail>(server, `/api/works/${many}`)
    const made = await ask(server, `/api/works/${members[0]?.id}/report`)
    expect(made.headers['content-security-policy']).toMatch(/script-src 'sha256-.{43}=';/)
    expect(made.text).toContain('<h2 id="convergence">Convergence</h2>')
  })

  test('that are no attacks have no images', async () => {
    const server = await start()
    const { rows } = await json<JobList>(server, '/api/works?sort=name')
    const { status, text } = await ask(server, `/api/works/${rows[0]?.id}/items/0`)
    expect([status, JSON.parse(text)]).toEqual([404, { error: 'this job has no images' }])
  })
})

describe('a run that is not whole', () => {
  const damaged = join(folder, 'damaged')
  const detailOf = async (server: UiServer): Promise<JobDetail> => {
    const { rows } = await json<JobList>(server, '/api/works')
    return json<JobDetail>(server, `/api/works/${rows[0]?.id}`)
  }
  afterEach(() => rmSync(damaged, { recursive: true, force: true }))

  test('says how many lines of its trace cannot be read', async () => {
    cpSync(join(works, 'one'), join(damaged, 'one'), { recursive: true })
    writeFileSync(join(damaged, 'one/trace.jsonl'), 'garbage\n'.repeat(3))
    const { job, warnings } = await detailOf(await start({ folder: damaged }))
    expect(job.state).toBe('finished')
    expect(warnings).toEqual(['3 lines of trace.jsonl are damaged and left out'])
  })

  test('says once why it cannot be read, and offers no spec', async () => {
    cpSync(join(works, 'one'), join(damaged, 'one'), { recursive: true })
    writeFileSync(join(damaged, 'one/meta.json'), 'garbage')
    const server = await start({ folder: damaged })
    const { job, warnings, spec: own } = await detailOf(server)
    expect(job).toMatchObject({ state: 'damaged', problem: expect.stringContaining('meta.json') })
    expect([warnings, own]).toEqual([[], {}])
    expect((await ask(server, `/api/works/${job.id}/spec`)).status).toBe(404)
  })

  test('says why it failed in its row, and counts a single failure as one', async () => {
    const failing = join(damaged, 'failing.mjs')
    mkdirSync(damaged)
    writeFileSync(failing, 'let n = 0\nexport default () => { if (n++ > 9) throw new Error("no water"); return n }')
    const work = await openRun(join(damaged, 'dry'), {
      objective: { name: 'module', module: failing },
      dim: 1,
      maxQueries: 50,
      failures: 'stop',
    })
    for await (const _ of work.perform());
    const { job, warnings } = await detailOf(await start({ folder: damaged }))
    expect(job).toMatchObject({ state: 'failed', reason: expect.stringContaining('no water') })
    expect(warnings).toContain('1 query failed, the first with: Error: no water')
    expect(warnings).not.toContain(job.reason)
  })
})

describe('a request', () => {
  test('gets the page with its policy, and whether it may write, but never the token', async () => {
    const server = await start()
    const { status, headers, text } = await ask(server, '/')
    expect(status).toBe(200)
    expect(text).toContain('<meta name="zeroth-control" content="yes">')
    expect(text).not.toContain(server.token)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(headers).not.toHaveProperty('access-control-allow-origin')
    expect((await askBare(server, '/assets/a.js')).headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect((await ask(await start({ allowControl: false }), '/')).text).toContain('content=""')
  })

  test('without the token reads, writes and runs nothing, on this machine as on others', async () => {
    for (const options of [{}, { host: '0.0.0.0' }, { publicUrl: 'http://example.org/' }]) {
      const server = await start({ allowControl: true, ...options })
      expect(server.url).toContain(`?token=${server.token}`)
      const { rows } = await json<JobList>(server, '/api/works')
      const work = `/api/works/${rows[0]?.id}`
      const reads = ['', '/spec', '/curve', '/report', '/items', '/items/0', '/items/0/original'].map(
        (end) => work + end,
      )
      for (const path of ['/', '/?token=', `/?token=${'0'.repeat(64)}`, '/api/works', '/api/events', ...reads]) {
        const { status, text, headers } = await askBare(server, path)
        expect([path, status]).toEqual([path, 401])
        expect(text).not.toMatch(/rosenbrock|seed-1|canary/)
        expect(text).not.toContain(server.token)
        expect(headers).not.toHaveProperty('set-cookie')
      }
      for (const path of [`${work}/stop`, `${work}/resume`]) {
        const { headers, ...rest } = posting(server)
        const { 'x-zeroth-token': _, ...bare } = headers
        expect((await askBare(server, path, { ...rest, headers: bare })).status).toBe(401)
      }
    }
  })

  test('for another host gets nothing, on every path', async () => {
    const server = await start()
    for (const path of ['/', '/assets/a.js', '/api/works', '/api/events', '/nothing']) {
      expect((await ask(server, path, { headers: { host: 'evil.example' } })).status).toBe(421)
    }
  })

  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('with %s changes nothing', async (method) => {
    const server = await start()
    const { rows } = await json<JobList>(server, '/api/works')
    const { headers: given } = posting(server)
    const { status, headers } = await ask(server, `/api/works/${rows[0]?.id}`, { headers: given, method })
    expect(status).toBe(405)
    expect(headers).not.toHaveProperty('access-control-allow-methods')
  })

  test('with HEAD opens no stream', async () => {
    expect((await ask(await start(), '/api/events', { method: 'HEAD' })).status).toBe(405)
  })

  test('of another page opens no stream', async () => {
    const server = await start()
    for (const site of ['cross-site', 'same-site']) {
      expect((await ask(server, '/api/events', { headers: { 'sec-fetch-site': site } })).status).toBe(403)
    }
  })

  test('may bring 16 kB at most', async () => {
    const server = await start()
    const { rows } = await json<JobList>(server, '/api/works')
    const large = { ...posting(server), body: `{"a":"${'x'.repeat(17_000)}"}` }
    expect((await ask(server, `/api/works/${rows[0]?.id}/stop`, large)).status).toBe(413)
  })

  test('stops a work only with the token, the origin and JSON', async () => {
    const server = await start()
    const { rows } = await json<JobList>(server, '/api/works')
    const path = `/api/works/${rows[0]?.id}/stop`
    const good = posting(server)
    expect(JSON.parse((await ask(server, path, good)).text)).toEqual({ stopping: false })
    const without = (name: string) => {
      const headers: Record<string, string> = { ...good.headers }
      delete headers[name]
      return askBare(server, path, { ...good, headers })
    }
    expect((await without('x-zeroth-token')).status).toBe(401)
    expect((await without('origin')).status).toBe(403)
    expect((await without('content-type')).status).toBe(415)
    expect((await ask(server, path)).status).toBe(404)
    expect((await ask(await start({ allowControl: false }), path, posting(open.at(-1) as UiServer))).status).toBe(403)
  })

  test('notes, renames and removes jobs, but none of a series and none without control', async () => {
    const own = join(folder, 'labelled')
    cpSync(works, own, { recursive: true })
    const server = await start({ folder: own })
    const list = async () => (await json<JobList>(server, '/api/works')).rows
    const idOf = async (name: string) => (await list()).find((row) => row.name === name)?.id
    const change = async (path: string, body: object, from = server) => {
      const { status, text } = await ask(from, `/api/works/${path}`, { ...posting(from), body: JSON.stringify(body) })
      return { status, ...(JSON.parse(text) as { id?: string; error?: string }) }
    }
    const renamed = await change(`${await idOf('one')}/label`, { name: 'first', tags: ['old'], note: 'a start' })
    expect(renamed).toMatchObject({ status: 200, id: await idOf('first') })
    expect(await list()).toContainEqual(expect.objectContaining({ name: 'first', tags: ['old'], note: 'a start' }))
    expect((await json<JobList>(server, '/api/works?text=a%20start')).total).toBe(1)
    expect(await change(`${renamed.id}/label`, { name: '../out' })).toMatchObject({ status: 409 })
    const { members = [] } = await json<JobDetail>(server, `/api/works/${await idOf('many')}`)
    expect(await change(`${members[0]?.id}/remove`, {})).toMatchObject({
      status: 409,
      error: 'it is part of what this page shows',
    })
    const readOnly = await start({ folder: own, allowControl: false })
    expect(await change(`${renamed.id}/remove`, {}, readOnly)).toMatchObject({ status: 403 })
    expect(await change(`${renamed.id}/remove`, {})).toMatchObject({ status: 200 })
    expect((await list()).map(({ name }) => name)).not.toContain('first')
    expect(readdirSync(join(own, '.trash'))).toEqual(['first'])
  })

  test('for one of 100 traversals gets nothing from outside', async () => {
    const server = await start()
    const { rows } = await json<JobList>(server, '/api/works')
    const id = rows[0]?.id
    const ups = ['..', '%2e%2e', '%2e.', '.%2e', '..%2f', '..%5c', '%252e%252e', '..;', '....//', '%c0%ae%c0%ae']
    const ends = ['secret.txt', '/secret.txt', '%2fsecret.txt', 'secret.txt%00.js', '\\secret.txt']
    const places = ['/assets/', '/api/works/', `/api/works/${id}/items/`, `/api/works/${id}/`]
    const paths = ups.flatMap((up) => ends.flatMap((end) => places.map((place) => `${place}${up}/${up}/${end}`)))
    expect(paths.length).toBeGreaterThanOrEqual(100)
    for (const path of paths) {
      const { status, text } = await ask(server, path.replaceAll('\\', '%5c'))
      expect([400, 404]).toContain(status)
      expect(text).not.toContain('canary')
    }
  })
})

describe('for other machines', () => {
  test('the token in the address gives a cookie, with which everything can be read; nothing can be changed', async () => {
    const server = await start({ host: '0.0.0.0' })
    const entered = await askBare(server, `/?token=${server.token}`)
    expect(entered.status).toBe(200)
    const [cookie = ''] = entered.headers['set-cookie'] ?? []
    expect(cookie).toMatch(/^zeroth-\d+=[0-9a-f]{64}; HttpOnly; SameSite=Strict; Path=\/$/)
    expect(cookie).not.toContain(server.token)
    const headers = { cookie: cookie.split(';')[0] as string }
    expect((await askBare(server, '/', { headers })).text).toContain('content=""')
    const listed = await askBare(server, '/api/works', { headers })
    const { rows, mayControl } = JSON.parse(listed.text) as JobList
    expect(mayControl).toBe(false)
    expect((await ask(server, `/api/works/${rows[0]?.id}/stop`, posting(server))).status).toBe(403)
  })

  test('a token may be given, if it cannot be guessed', async () => {
    const token = 'a-token_of_its_own-'.repeat(2)
    const server = await start({ token })
    expect([server.token, server.url]).toEqual([token, `http://127.0.0.1:${server.port}/?token=${token}`])
    await expect(start({ token: 'secret' })).rejects.toThrow('ZEROTH_UI_TOKEN must be 32 to 256 letters')
    await expect(start({ token: '' })).rejects.toThrow('ZEROTH_UI_TOKEN must be')
  })

  test('behind a proxy the public address is ours', async () => {
    const server = await start({ publicUrl: 'https://example.org/zeroth', allowControl: true })
    expect(server.url).toBe(`https://example.org/zeroth/?token=${server.token}`)
    const host = { host: 'example.org' }
    expect((await askBare(server, `/?token=${server.token}`, { headers: host })).headers['set-cookie']?.[0]).toMatch(
      /; Path=\/zeroth\/; Secure$/,
    )
    const { rows } = await json<JobList>(server, '/api/works')
    const { headers, ...rest } = posting(server)
    const proxied = { ...rest, headers: { ...headers, host: 'example.org', origin: 'https://example.org' } }
    expect((await ask(server, `/api/works/${rows[0]?.id}/stop`, proxied)).status).toBe(200)
    await expect(start({ publicUrl: 'example.org' })).rejects.toThrow('--public-url must be an address')
  })

  test.each(['stop', 'resume'])(
    'behind a proxy, %s is refused without --allow-control, even with the token',
    async (what) => {
      const server = await start({ publicUrl: 'https://example.org/zeroth/' })
      const proxy = { host: 'example.org', origin: 'https://example.org' }
      expect((await ask(server, '/', { headers: proxy })).text).toContain('<meta name="zeroth-control" content="">')
      const { rows, mayControl } = JSON.parse((await ask(server, '/api/works', { headers: proxy })).text) as JobList
      const { headers, ...rest } = posting(server)
      const asked = { ...rest, headers: { ...headers, ...proxy } }
      const { status, text } = await ask(server, `/api/works/${rows[0]?.id}/${what}`, asked)
      expect([mayControl, status]).toEqual([false, 403])
      expect(JSON.parse(text)).toEqual({ error: 'this page is read-only: start the server with --allow-control' })
    },
  )
})

describe('a work that is to be resumed', () => {
  const place = join(folder, 'resumed')
  const program = join(folder, 'program.mjs')
  const called = join(folder, 'called.json')
  const objective = { name: 'exec', command: ['true'], cwd: '/' }
  const resume = (server: UiServer, id: string, body: object) =>
    ask(server, `/api/works/${id}/resume`, { ...posting(server), body: JSON.stringify(body) })

  async function begun(name: string, more: object = {}): Promise<void> {
    await (await createStore(join(place, name), { objective: { ...objective, ...more }, dim: 1 })).close()
  }
  async function detailOf(server: UiServer, name: string): Promise<JobDetail> {
    const { rows } = await json<JobList>(server, '/api/works')
    return json<JobDetail>(server, `/api/works/${rows.find((row) => row.name === name)?.id}`)
  }
  beforeAll(() =>
    writeFileSync(
      program,
      `import { writeFileSync } from 'node:fs'\nwriteFileSync('${called}', JSON.stringify(process.argv.slice(2)))`,
    ),
  )
  afterEach(() => rmSync(place, { recursive: true, force: true }))

  test('is, if it is as it was shown, by a process that checks that once more', async () => {
    await begun('mine')
    const server = await start({ folder: place, program })
    const { job, shown, refusal } = await detailOf(server, 'mine')
    expect(refusal).toBeUndefined()
    expect((await resume(server, job.id, { shown })).text).toBe('{"resumed":true}')
    await expect.poll(() => existsSync(called), { timeout: 60_000 }).toBe(true)
    await expect.poll(() => readFileSync(called, 'utf8'), { timeout: 60_000 }).not.toBe('')
    const args = ['resume', join(place, 'mine'), '--quiet', '--shown', shown]
    expect(JSON.parse(readFileSync(called, 'utf8'))).toEqual(args)
  })

  test('is not, if it has changed since, or nothing of it was shown', async () => {
    await begun('other')
    const server = await start({ folder: place })
    const { job, shown } = await detailOf(server, 'other')
    expect((await resume(server, job.id, {})).status).toBe(409)
    rmSync(join(place, 'other'), { recursive: true })
    await begun('other', { command: ['touch', 'x'] })
    const { status, text } = await resume(server, job.id, { shown })
    expect([status, text]).toEqual([
      409,
      '{"error":"what it executes has changed since it was shown: look at it again"}',
    ])
  })

  test('is not, if it sets a variable that has other code run', async () => {
    await begun('hostile', { env: { NODE_OPTIONS: '--require /tmp/x.cjs' } })
    const server = await start({ folder: place })
    const { job, shown, refusal, executes } = await detailOf(server, 'hostile')
    expect(executes).toContainEqual({ what: 'sets the variable', text: 'NODE_OPTIONS="--require /tmp/x.cjs"' })
    expect(refusal).toContain('it sets NODE_OPTIONS')
    const { status, text } = await resume(server, job.id, { shown })
    expect([status, JSON.parse(text).error]).toEqual([403, refusal])
  })
})

describe('a port', () => {
  test('that was asked for and is taken is an error that names it', async () => {
    const { port } = await start()
    await expect(start({ port })).rejects.toThrow(
      `cannot listen at 127.0.0.1: the port ${port} is taken; choose another port or address`,
    )
  })

  test('that was not asked for is the usual one or the next that is free', async () => {
    const [one, other] = [await start({ port: undefined }), await start({ port: undefined })]
    expect(one.port).toBeGreaterThanOrEqual(4920)
    expect(other.port).toBeGreaterThan(one.port)
  })
})

describe('the stream', () => {
  const event = (queries: number): JobEvent => ({
    ...{ v: 1, work: 'one', seq: queries, at: 0, type: 'progress', iterations: queries, queries, rate: 1, tail: [] },
  })

  /** Reads until a text is there. */
  async function until(response: IncomingMessage, wanted: string, destroyOnReturn = true): Promise<string> {
    let text = ''
    for await (const part of response.setEncoding('utf8').iterator({ destroyOnReturn })) {
      text += part
      if (text.includes(wanted)) break
    }
    return text
  }

  function listen({ port, token }: UiServer, more: Record<string, string> = {}): Promise<IncomingMessage> {
    const headers = { 'x-zeroth-token': token, ...more }
    return new Promise((resolve, reject) =>
      request({ port, host: '127.0.0.1', path: '/api/events', headers }, resolve).on('error', reject).end(),
    )
  }

  test('begins at once, tells what happens, and continues where a client was', async () => {
    const server = await start()
    const first = await listen(server)
    expect(first.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    server.take(join(works, 'one'), event(1))
    const text = await until(first, '"queries":1')
    const [, last] = /id: ([0-9a-f]{12}-\d+)\ndata: /.exec(text) ?? []
    server.take(join(works, 'one'), event(2))
    server.take(join(works, 'one'), event(3))
    const again = await until(await listen(server, { 'last-event-id': last as string }), '"queries":3')
    expect([...again.matchAll(/"queries":(\d)/g)].map(([, queries]) => queries)).toEqual(['2', '3'])
  })

  test('tells the median of a series with its progress', async () => {
    const server = await start()
    const { rows } = await json<JobList>(server, '/api/works?sort=name')
    const listening = await listen(server)
    server.take(join(works, 'many'), { ...event(7), work: 'many' })
    expect(await until(listening, '"queries":7')).toContain(`"value":${rows[0]?.value}`)
  })

  test('tells a client to begin anew that has missed too much, or knows another server', async () => {
    const server = await start({ limits: { ringEvents: 3 } })
    server.take(join(works, 'one'), event(0))
    const [, last] = /id: ([0-9a-f]{12}-\d+)/.exec(await until(await listen(server), 'beat')) ?? []
    for (let i = 1; i <= 9; i++) server.take(join(works, 'one'), event(i))
    await sleep(50)
    expect(await until(await listen(server, { 'last-event-id': last as string }), 'reset')).toContain('event: reset')
    for (const id of ['000000000000-1', 'nonsense', `${(last as string).split('-')[0]}-999999`]) {
      expect(await until(await listen(server, { 'last-event-id': id }), 'reset')).toContain('event: reset')
    }
  })

  test('drops a client that does not read, and keeps the others', async () => {
    const server = await start({ limits: { waiting: 1 << 12 } })
    const stalled = connect(server.port, '127.0.0.1')
    await new Promise((resolve) => stalled.once('connect', resolve))
    stalled.write(
      `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nX-Zeroth-Token: ${server.token}\r\n\r\n`,
    )
    stalled.pause()
    const closed = new Promise<boolean>((resolve) => stalled.once('close', () => resolve(true)))
    const read = until(await listen(server), '"queries":77')
    const large = { ...event(1), phase: 'x'.repeat(50_000) }
    for (let i = 0; i < 200; i++) {
      server.take(join(works, 'one'), large)
      await sleep(1)
    }
    server.take(join(works, 'one'), event(77))
    await read
    // What waits for it in the system is read to its end, then there is no more.
    stalled.resume()
    expect(await closed).toBe(true)
  })

  test('shows signs of life, and takes no more clients than it may', async () => {
    const server = await start({ limits: { beat: 20, clients: 1 } })
    const first = await listen(server)
    let text = ''
    for await (const part of first.setEncoding('utf8')) {
      text += part
      if (text.split('event: beat').length > 3) break
      expect((await ask(server, '/api/events')).status).toBe(503)
    }
    expect(text.split('event: beat').length).toBeGreaterThan(3)
  })

  test('ends the oldest stream for another client, which goes on where it was if it still listens', async () => {
    const server = await start({ limits: { clients: 2, lasting: 0 } })
    const first = await listen(server)
    await listen(server)
    server.take(join(works, 'one'), event(1))
    const begun = await until(first, '"queries":1', false)
    const [, last] = /id: ([0-9a-f]{12}-\d+)\ndata: /.exec(begun) ?? []
    const third = await listen(server)
    expect(third.statusCode).toBe(200)
    for await (const _ of first);
    server.take(join(works, 'one'), event(2))
    expect(await until(third, '"queries":2')).not.toContain('"queries":1')
    const again = await until(await listen(server, { 'last-event-id': last as string }), '"queries":2')
    expect([...again.matchAll(/"queries":(\d)/g)].map(([, queries]) => queries)).toEqual(['2'])
  })
})
