import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openRun } from '../src/app/jobs/index.ts'
import { execObjective } from '../src/app/objectives/exec.ts'
import { httpObjective } from '../src/app/objectives/http.ts'
import { openInferenceObjective } from '../src/app/objectives/open-inference.ts'
import { compileSpec } from '../src/app/spec/index.ts'
import { makeAnswers } from '../src/optimizer/core/answers.ts'
import { fingerprint } from '../src/optimizer/core/part.ts'
import type { Objective, Queries } from '../src/optimizer/core/types.ts'
import { minimize } from '../src/optimizer/minimize/minimize.ts'
import { callLogFile } from '../src/optimizer/wrappers/call-log-file.ts'
import { logged } from '../src/optimizer/wrappers/logged.ts'
import { retried } from '../src/optimizer/wrappers/retried.ts'
import { type Received, send, startServer, type TestServer } from './servers/server.ts'

// One canary for each place a secret can be put in; none of them may be seen anywhere but in the requests.
const canaries = {
  literal: 'canary-literal-4711',
  environment: 'canary-env/47+11=',
  file: 'canary-file "4711"',
  bearer: 'canary-bearer-4711',
  password: 'canary-password@4711',
  query: 'canary query&4711',
}
const folder = mkdtempSync(join(tmpdir(), 'zeroth-secrets-'))
beforeAll(() => {
  vi.stubEnv('ZEROTH_TEST_KEY', canaries.environment)
  writeFileSync(join(folder, 'key'), `${canaries.file}\n`)
})
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

const headers = {
  'X-API-Key': canaries.literal,
  'X-Env': { env: 'ZEROTH_TEST_KEY' },
  'X-File': { file: join(folder, 'key') },
}
const secretUrl = (url: string): string =>
  `${url.replace('://', `://user:${encodeURIComponent(canaries.password)}@`)}/?token=${encodeURIComponent(canaries.query)}#${canaries.literal}`

/** Everything the server was told, in all the forms in which servers repeat it. */
function everything({ path, headers: got, body }: Received): string {
  const texts = [path, decodeURIComponent(path), ...Object.values(got).map(String), body.toString('latin1')]
  const basic = Buffer.from(String(got.authorization).replace('Basic ', ''), 'base64').toString()
  const all = [...texts, basic, ...Object.values(canaries)]
  return [
    ...all,
    ...all.map(encodeURIComponent),
    ...all.map((each) => Buffer.from(each).toString('base64')),
    JSON.stringify(all),
  ].join(' | ')
}

type Mischief = (request: Received, reply: ServerResponse) => unknown
const mischiefs: Readonly<Record<string, Mischief>> = {
  'status 400': (request, reply) => send(reply, 400, everything(request)),
  'status 401': (request, reply) => send(reply, 401, JSON.stringify({ error: everything(request) })),
  'status 429': (request, reply) =>
    send(reply, 429, everything(request), { 'retry-after': everything(request).slice(0, 0) }),
  'status 500': (request, reply) => send(reply, 500, everything(request)),
  'a secret that is cut off by the length of a message': (request, reply) =>
    send(reply, 500, `${'x'.repeat(190)}${canaries.literal} ${everything(request)}`),
  'a redirect to the same place': (_, reply) => send(reply, 307, '', { location: `/?x=${canaries.literal}` }),
  'a redirect elsewhere': (_, reply) =>
    send(reply, 302, '', { location: `http://${canaries.bearer}:p@127.0.0.1:9/${canaries.literal}` }),
  'a redirect nowhere': (_, reply) => send(reply, 308, '', { location: `http://[${canaries.literal}` }),
  'no JSON': (request, reply) => send(reply, 200, everything(request)),
  'other keys': (request, reply) => send(reply, 200, JSON.stringify({ [canaries.literal]: everything(request) })),
  'a secret for a number': (request, reply) =>
    send(
      reply,
      200,
      JSON.stringify({
        value: everything(request),
        values: [canaries.literal],
        outputs: everything(request),
        error: canaries.literal,
      }),
    ),
  'secrets for names': (_, reply) =>
    send(
      reply,
      200,
      JSON.stringify({
        value: { [canaries.literal]: 1 },
        values: canaries.literal,
        outputs: [{ name: canaries.literal, datatype: canaries.bearer, shape: [1], data: [canaries.literal] }],
        inputs: [{ name: canaries.literal, datatype: canaries.literal, shape: [1] }],
      }),
    ),
  'a reset': (_, reply) => void reply.socket?.resetAndDestroy(),
  'half a reply': (_, reply) => {
    reply.writeHead(200, { 'content-length': '999' })
    reply.write(`{"${canaries.literal}`, () => reply.destroy())
  },
  'no HTTP': (_, reply) => void reply.socket?.end(`${canaries.literal}: ${canaries.bearer}\r\n\r\n`),
  'odd headers': (_, reply) => void reply.socket?.end(`HTTP/1.1 200 OK\r\n${canaries.literal}\0: x\r\n\r\n`),
  'a reply without end': (_, reply) => {
    reply.write(canaries.literal.repeat(1000))
    reply.write(canaries.literal.repeat(20_000))
  },
  'a hang': () => undefined,
}

const queries: Queries = {
  key: { seed: 1, iteration: 1 },
  rows: 1,
  dim: 1,
  centers: 1,
  sample: () => 0,
  write: (_, into, offset = 0) => into.set([0.5], offset),
}

/** Whatever can be printed of a thing, its causes, its hidden parts and its stack. */
function allText(thing: unknown): string {
  const parts = [inspect(thing, { depth: 12, showHidden: true, maxStringLength: null }), jsonOf(thing), String(thing)]
  for (let each = thing; each instanceof Error; each = each.cause) {
    parts.push(each.message, each.stack ?? '', jsonOf(Object.getOwnPropertyDescriptors(each)))
  }
  return parts.join('\n')
}

/** As JSON, circles broken. */
function jsonOf(thing: unknown): string {
  const seen = new Set<unknown>()
  const once = (_: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && (seen.has(value) || !seen.add(value)) ? 'again' : value
  return JSON.stringify(thing, once) ?? ''
}

/** The canaries in a text, in whatever form. */
function found(text: string): string[] {
  const forms = Object.values(canaries).flatMap((canary) => [
    canary,
    encodeURIComponent(canary),
    Buffer.from(canary).toString('base64'),
    JSON.stringify(canary).slice(1, -1),
  ])
  return [...forms, 'canary'].filter((form) => text.toLowerCase().includes(form.toLowerCase()))
}

const kinds: Readonly<Record<string, (url: string, timeout?: number) => Objective>> = {
  http: (url, timeout = 60_000) =>
    httpObjective({ dim: 1, url: secretUrl(url), headers, timeout, maxReplyBytes: 100_000 }),
  'http in batches': (url, timeout = 60_000) =>
    httpObjective({ dim: 1, url: secretUrl(url), headers, timeout, maxReplyBytes: 100_000, batched: true }),
  'http with a token': (url, timeout = 60_000) =>
    httpObjective({
      dim: 1,
      url,
      headers: { Authorization: `Bearer ${canaries.bearer}`, ...headers },
      timeout,
      maxReplyBytes: 100_000,
    }),
  'open-inference': (url, timeout = 60_000) =>
    openInferenceObjective({ dim: 1, url: secretUrl(url), headers, model: 'm', timeout, maxReplyBytes: 100_000 }),
}

describe.concurrent.each(Object.keys(kinds))('%s keeps its secrets', (kind) => {
  const make = kinds[kind] as (url: string, timeout?: number) => Objective

  test.each(Object.keys(mischiefs))('after %s', async (name) => {
    const server: TestServer = await startServer(mischiefs[name] as Mischief)
    const objective = make(server.url, name === 'a hang' ? 2000 : undefined)
    const answers = makeAnswers(1)
    await objective.evaluate(queries, answers)
    await objective.close?.()
    await server.close()
    // The service itself got them: the test would otherwise show nothing.
    expect(JSON.stringify(server.requests[0]?.headers)).toContain(canaries.literal)
    expect(answers.failed[0]).toBe(1)
    expect(found(allText(answers.reasons[0]))).toEqual([])
    expect(found(allText(answers))).toEqual([])
  })

  test('in what it says of itself', () => {
    const objective = make('http://127.0.0.1:8080')
    expect(found(allText(objective))).toEqual([])
    expect(found(fingerprint(objective))).toEqual([])
  })

  test('in a run that fails, in its log of calls, and through retries', async () => {
    const server = await startServer(mischiefs['status 500'] as Mischief)
    const path = join(folder, `${kind}.jsonl`)
    const log = callLogFile(path)
    const objective = logged(retried(make(server.url), { attempts: 2, delay: 0 }), log)
    const error = await minimize(objective, [1], { maxQueries: 10, failures: 'stop' }).then(
      () => undefined,
      (problem: unknown) => problem,
    )
    await objective.close?.()
    log.close()
    await server.close()
    const saved = readFileSync(path, 'utf8')
    expect(saved).toContain('answered 500')
    expect(found(saved)).toEqual([])
    expect(error).toBeInstanceOf(Error)
    expect(found(allText(error))).toEqual([])
  })
})

test('refused options keep their secrets, too', () => {
  const url = 'http://127.0.0.1:8080'
  const given = [
    { url: `ftp://user:${canaries.literal}@host/?a=${canaries.literal}` },
    { url: canaries.literal },
    { url: [canaries.literal] },
    { url: { env: 'ZEROTH_TEST_KEY' } },
    { url: { file: join(folder, 'key') } },
    { url: `http://user:${canaries.literal}@host`, headers: { authorization: canaries.bearer } },
    { url, headers: { 'X-API-Key': `${canaries.literal}\n` } },
    { url, headers: { 'X-API-Key': [canaries.literal] } },
    { url, headers: { 'X-API-Key': { environment: canaries.literal } } },
    { url, headers: canaries.literal },
    { url, headers: [canaries.literal] },
    { url: secretUrl(url), headers, timeout: -1 },
    { url: secretUrl(url), headers, body: { x: 'nothing' } },
  ]
  for (const options of given) {
    let error: unknown
    try {
      httpObjective({ dim: 1, ...options } as never)
    } catch (problem) {
      error = problem
    }
    expect(error).toBeInstanceOf(Error)
    expect([options, found(allText(error))]).toEqual([options, []])
  }
})

test('an option that is missing is said to be missing', () => {
  expect(() => httpObjective({ dim: 1 } as never)).toThrow(/^http\.url is required .* got undefined$/)
  expect(() => httpObjective({ dim: 1, url: 'http://127.0.0.1', headers: 'X-API-Key: canary' } as never)).toThrow(
    'http.headers must be a record, got a string that is not shown',
  )
})

describe('a program gets its secrets from the environment', () => {
  const key = `\${ZEROTH_TEST_KEY}`
  const spec = (...args: string[]) => ({
    objective: { name: 'exec', command: [process.execPath, join(folder, 'echo.mjs'), ...args] },
    dim: 1,
    maxQueries: 5,
  })
  beforeAll(() =>
    // Answers nothing, repeats what it was given, and leaves it where the test finds it.
    writeFileSync(
      join(folder, 'echo.mjs'),
      `import { writeFileSync } from 'node:fs'
       const given = process.argv.slice(2).join(' ')
       writeFileSync(${JSON.stringify(join(folder, 'given'))}, given)
       console.error('wrong key: ' + given)
       process.exit(3)`,
    ),
  )

  test('named in an argument, which reaches the program and is stored nowhere', async () => {
    const run = await openRun(join(folder, 'run'), spec(`--token=${key}`))
    const events: unknown[] = []
    for await (const event of run.perform()) events.push(event)
    expect(readFileSync(join(folder, 'given'), 'utf8')).toBe(`--token=${canaries.environment}`)
    expect(run.result()?.status).toBe('failed')
    const files = readdirSync(join(folder, 'run')).map((name) => readFileSync(join(folder, 'run', name), 'latin1'))
    expect(files.join('\n')).toContain(key)
    expect(found([...files, allText(events), allText(run.result())].join('\n'))).toEqual([])
    const objective = execObjective({ command: ['true', key], dim: 1 })
    expect(found(fingerprint(objective) + allText(objective))).toEqual([])
  })

  test.each([
    [`--token=${canaries.literal}`],
    ['--password', canaries.literal],
    ['--api-key', canaries.literal],
    ['-e', `API_KEY=${canaries.literal}`].slice(1),
    [`sk-${canaries.literal}`],
    ['-H', `Authorization: Bearer ${canaries.bearer}`],
    [`https://user:${encodeURIComponent(canaries.literal)}@host/`],
  ])('written out they are refused and not repeated: %s %s', async (...args) => {
    const place = join(folder, 'refused')
    const error = await openRun(place, spec(...args)).catch((problem: unknown) => problem)
    expect((error as Error).message).toMatch(/^spec\.objective\.command\.\d must not hold a secret \(.*\$\{NAME\}/)
    expect(found(allText(error))).toEqual([])
    expect(existsSync(place)).toBe(false)
  })

  test.each([['--tokens', '5'], ['--sort-key', 'name'], [`--token=${key}`], ['--password', key], ['task-runner']])(
    'what only sounds like one may stand there: %s %s',
    (...args) => {
      expect(() => compileSpec(spec(...args))).not.toThrow()
    },
  )
})
