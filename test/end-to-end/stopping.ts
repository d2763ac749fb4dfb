import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../servers/server.ts'
import { longestStop, stopped, writeBlackBoxes } from './stopped-work.ts'
import { onlyObject, zeroth } from './zeroth.ts'

const cwd = mkdtempSync(join(tmpdir(), 'zeroth-stopping-'))
const budget = ['--dim', '2', '--start', '1,2', '--max-queries', '400']
const adamm = ['--solver', 'zo-adamm']
/** The default. */
const auto: string[] = []
const modules = {
  plain: ['plain.json'],
  async: ['async.json'],
  silent: ['silent.json'],
  batch: ['batch.json'],
  promised: ['promised.json'],
  program: ['--exec', `"${process.execPath}" program.mjs`],
}
const busy = { PAUSE: '5' }
const slow = { PAUSE: '100' }
const falling = { ANSWERS: '40' }
let server: TestServer
/** Requests that each path of the service answers before it falls silent. */
const answers: Record<string, number> = {}
/** What every one of the black boxes ends with where nothing stops it, by the options of the solver. */
const expected = new Map<readonly string[], { status: string; queries: unknown; hash: string }>()

const http = (path: string) => ['--http', `${server.url}/${path}`]
/** A service that answers as often as `falling` boxes do. Each test has its own, because they run at the same time. */
const silentService = (path: `silent${string}`) => {
  answers[`/${path}`] = 40
  return http(path)
}

type SignalCase = [string, NodeJS.Signals, () => readonly string[], Record<string, string>, (readonly string[])?]

const everydaySignals: readonly SignalCase[] = [
  ['a synchronous function', 'SIGINT', () => modules.plain, busy],
  ['an asynchronous function that never waits', 'SIGINT', () => modules.async, busy],
  ['a function whose promise never settles', 'SIGINT', () => modules.silent, falling],
  ['a batched function', 'SIGINT', () => modules.batch, slow],
  ['a program', 'SIGINT', () => modules.program, busy],
  ['a program that falls silent', 'SIGTERM', () => modules.program, falling],
  ['a service', 'SIGINT', () => http('quick'), {}],
  ['a service that falls silent', 'SIGINT', () => silentService('silent'), {}],
  ['a function in threads', 'SIGINT', () => ['--module', 'plain.mjs', '-j', '2'], busy],
  ['auto: a function whose promise never settles', 'SIGINT', () => modules.silent, falling, auto],
]
const rareSignals: readonly SignalCase[] = [
  ['a synchronous function that takes 100 ms a call', 'SIGINT', () => modules.plain, slow],
  ['an asynchronous function that never waits, told to end', 'SIGTERM', () => modules.async, slow],
  ['an asynchronous batched function that never waits', 'SIGINT', () => modules.promised, busy],
  ['auto: a synchronous function', 'SIGINT', () => modules.plain, busy, auto],
  ['auto: a program that falls silent', 'SIGTERM', () => modules.program, falling, auto],
  ['auto: a function in threads', 'SIGINT', () => ['--module', 'plain.mjs', '-j', '2'], busy, auto],
]

type TimeCase = [string, () => readonly string[], Record<string, string>]

const everydayTimes: readonly TimeCase[] = [
  ['of a synchronous function that takes 100 ms a call', () => modules.plain, slow],
  ['of an asynchronous function that never waits', () => modules.async, busy],
  ['of a function whose promise never settles', () => modules.silent, falling],
  ['of a service that falls silent', () => silentService('silent-in-time'), {}],
]
const rareTimes: readonly TimeCase[] = [
  ['of a batched function', () => modules.batch, slow],
  ['of a program that falls silent', () => modules.program, falling],
  ['of a service', () => http('quick'), {}],
]

/** Stops runs in every way: those of every day, or those that go other ways through the same code. */
export function stoppingTests(isLong: boolean): void {
  beforeAll(async () => {
    writeBlackBoxes(cwd)
    server = await startServer(({ path, body }, reply) => {
      answers[path] = (answers[path] ?? Infinity) - 1
      const { x } = JSON.parse(body.toString()) as { x: number[] }
      const value = x.reduce((sum, each) => sum + each * each, 0)
      if (answers[path] >= 0)
        setTimeout(() => reply.end(JSON.stringify({ value })), path.startsWith('/silent') ? 0 : 10)
    })
    for (const solver of [adamm, auto]) {
      const whole = onlyObject(await zeroth(['minimize', ...modules.plain, ...budget, ...solver, '--json'], { cwd }))
      expected.set(solver, { status: 'finished', queries: whole.queries, hash: whole.hash })
    }
  })
  afterAll(async () => {
    await server.close()
    rmSync(cwd, { recursive: true, force: true })
  })

  describe.concurrent('a signal saves and stops at once, and the run then ends as if nothing had been', () => {
    test.each(isLong ? rareSignals : everydaySignals)('%s', async (name, signal, box, env, solver = adamm) => {
      const out = name.replaceAll(/[ :]+/g, '-')
      const args = ['minimize', ...box(), ...budget, ...solver]
      // One record is enough: eleven slow calls take their time.
      const cut = await stopped(args, out, { cwd, env }, (kill) => kill(signal), 200)
      expect(cut.code).toBe(130)
      expect(cut.took).toBeLessThan(longestStop)
      const { status, queries } = onlyObject(cut)
      expect(status).toBe('aborted')
      expect(queries).toBeLessThan(400)
      if (args.includes(`${server.url}/silent`)) delete answers['/silent']
      const rest = await zeroth(['resume', out, '--json'], { cwd })
      expect(rest.code).toBe(0)
      expect(onlyObject(rest)).toMatchObject(expected.get(solver) ?? {})
    })
  })

  describe.concurrent('--max-time ends a run on time', () => {
    test.each(isLong ? rareTimes : everydayTimes)('%s', async (name, box, env) => {
      const out = `time-${name.replaceAll(' ', '-')}`
      const ended = await zeroth(
        ['minimize', ...box(), ...budget, ...adamm, '--max-time', '700', '--out', out, '--json'],
        {
          cwd,
          env,
        },
      )
      expect(ended.code).toBe(0)
      const { stopReason, seconds } = onlyObject(ended)
      expect(stopReason).toBe('max-time')
      expect(seconds).toBeGreaterThan(0.6)
      expect(seconds).toBeLessThan(0.7 + longestStop / 1000)
    })
  })

  if (isLong) return

  // The answers before must come in this time, on a busy machine, too.
  describe.concurrent('--timeout with --failures stop ends a run at the first query without an answer', () => {
    test.each<[string, () => readonly string[]]>([
      ['of a function whose promise never settles', () => modules.silent],
      ['of a program that falls silent', () => modules.program],
      ['of a service that falls silent', () => [...silentService('silent-and-late'), '-j', '1']],
    ])('%s', async (name, box) => {
      const out = `late-${name.replaceAll(' ', '-')}`
      const policy = ['--timeout', '5000', '--failures', 'stop']
      const args = ['minimize', ...box(), ...budget, ...adamm, ...policy, '--out', out, '--json']
      const failed = await zeroth(args, { cwd, env: falling })
      expect(failed.code).toBe(1)
      const result = onlyObject(failed)
      // Three iterations of 11, then the eighth row of the fourth: the three behind it were never asked.
      expect(result).toMatchObject({ status: 'failed', queries: 41, failures: { count: 1 } })
      expect(result.seconds).toBeLessThan(5 + longestStop / 1000)
      expect(failed.stderr).toContain('did not answer within 5000 ms')
      if (args.includes(`${server.url}/silent-and-late`)) delete answers['/silent-and-late']
      const rest = await zeroth(['resume', out, '--json'], { cwd })
      expect(onlyObject(rest)).toMatchObject({ status: 'finished', queries: 397 + 8 - 11, failures: { count: 1 } })
    })
  })

  test('a callback stops every kind of objective once a timer has fired, in a program of its own', async () => {
    const script = fileURLToPath(new URL('./stopped-by-callback.mjs', import.meta.url))
    const child = spawn(process.execPath, [script, join(cwd, 'called-back'), `${server.url}/quick`], { stdio: 'pipe' })
    const [said, complaint] = await Promise.all([text(child.stdout), text(child.stderr)])
    expect(complaint).toBe('')
    const ended = JSON.parse(said) as { kind: string; stopReason: string; took: number }[]
    expect(ended.map(({ kind, stopReason }) => `${kind}: ${stopReason}`)).toEqual(
      ['plain', 'slow', 'async', 'batched', 'promised', 'drive', 'stored', 'remote'].map((kind) => `${kind}: callback`),
    )
    for (const { took } of ended) expect(took).toBeLessThan(longestStop)
  })
}
