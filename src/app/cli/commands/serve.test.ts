import { expect, test } from 'vitest'
import { auto, minimize, type NamedPoint } from '../../../index.ts'
import { exactJson } from '../../../optimizer/core/exact-json.ts'
import { makeServer } from './serve.ts'

type Reply = {
  readonly result: Readonly<Record<string, unknown>>
  readonly error: { readonly code: string; readonly message: string }
}

/** A server that is called with objects, and what it replies. */
function server() {
  const reply = makeServer()
  let id = 0
  return (method: string, fields: object = {}): Reply => {
    const replied = reply(JSON.stringify({ id: ++id, method, ...fields }))
    expect(replied.id).toBe(id)
    return JSON.parse(exactJson(replied)) as Reply
  }
}

const valley = ([x = 0, y = 0]: ArrayLike<number> & Iterable<number>): number => (1 - x) ** 2 + 100 * (y - x * x) ** 2

/** Asks a session to its end, as a program in another language would. */
function drive(call: ReturnType<typeof server>, session: unknown, f: (query: never) => unknown) {
  for (;;) {
    const { queries } = call('ask', { session }).result as { queries: never[] }
    const { done, result } = call('tell', { session, values: queries.map(f) }).result as {
      done: boolean
      result: never
    }
    if (done) return result as Record<string, unknown>
  }
}

test('a session that is asked and told ends with the bits of minimize', async () => {
  const call = server()
  const { session, dim, done } = call('create', { spec: { start: [-1.2, 1], seed: 3, maxQueries: 150 } }).result
  expect([dim, done]).toEqual([2, false])
  const { point, value, queries, stopReason, hash } = drive(call, session, valley)
  const whole = await minimize(valley, [-1.2, 1], { solver: auto(), seed: 3, maxQueries: 150 })
  expect({ point, value, queries, stopReason }).toEqual({
    point: [...whole.point],
    value: whole.value,
    queries: whole.queries,
    stopReason: whole.stopReason,
  })
  expect(hash).toMatch(/^[0-9a-f]{64}$/)
})

test('variables have their names, and choices are what they are called', async () => {
  const variables = {
    rate: { from: 1e-4, to: 1, scale: 'log' },
    width: { from: 1, to: 8, step: 1 },
    mode: { choices: ['slow', 'fast'] },
  } as const
  const loss = ({ rate, width, mode }: { rate: number; width: number; mode: string }): number =>
    (rate - 0.01) ** 2 + (width - 3) ** 2 + (mode === 'fast' ? 0 : 1)
  const call = server()
  const { session, names } = call('create', { spec: { variables, seed: 1, maxQueries: 120 } }).result
  expect(names).toEqual(['rate', 'width', 'mode'])
  const result = drive(call, session, loss)
  const whole = await minimize(loss, { variables, seed: 1, maxQueries: 120, solver: auto() })
  expect(result.variables).toEqual(whole.variables)
  expect((result.variables as NamedPoint).mode).toBe('fast')
  expect(call('best', { session }).result).toMatchObject({ variables: whole.variables, value: whole.value })
})

test('several sessions do not meet, and one that is saved goes on in another server', () => {
  const spec = { start: [1, 2, 3], seed: 5, maxIterations: 30, solver: 'zo-adamm' }
  const square = (x: number[]): number => x.reduce((sum, v) => sum + v * v, 0)
  const call = server()
  const [whole, parted] = [1, 2].map(() => call('create', { spec }).result.session)
  const expected = drive(call, whole, square)
  for (let i = 0; i < 10; i++) {
    const { queries } = call('ask', { session: parted }).result as { queries: number[][] }
    call('tell', { session: parted, values: queries.map(square) })
  }
  const { checkpoint } = call('save', { session: parted }).result
  const other = server()
  const { session } = other('create', { spec, checkpoint }).result
  const { seconds: _, ...found } = drive(other, session, square)
  const { seconds: __, ...known } = expected
  expect(found).toEqual(known)
})

test('a query that failed is counted under the policy of the spec, and its reason is kept', () => {
  const call = server()
  const worst = call('create', { spec: { dim: 2, maxQueries: 40, failures: 'worst', solver: 'cma-es' } }).result.session
  let asked = 0
  const odd = (x: number[]) => (++asked % 5 === 0 ? { error: 'no luck' } : asked % 7 === 0 ? null : (x[0] ?? 0) ** 2)
  const result = drive(call, worst, odd)
  expect(result).toMatchObject({ status: 'finished', queries: asked, failures: { first: 'no luck' } })
  const strict = call('create', { spec: { dim: 2, maxQueries: 40 } }).result.session
  expect(drive(call, strict, () => ({ error: 'no luck' }))).toMatchObject({
    status: 'failed',
    stopReason: 'objective-failed',
    error: expect.stringContaining('no luck'),
  })
})

test('stop gives what was found, and close forgets the session', () => {
  const call = server()
  const { session } = call('create', { spec: { dim: 3, maxQueries: 100 } }).result
  const { queries } = call('ask', { session }).result as { queries: number[][] }
  call('tell', { session, values: queries.map(() => 7) })
  expect(call('stop', { session }).result).toMatchObject({ done: true, result: { status: 'aborted', value: 7 } })
  expect(call('ask', { session }).error.message).toBe('ask: the session has ended (aborted)')
  expect(call('close', { session }).result).toEqual({})
  expect(call('ask', { session }).error.message).toBe('there is no session 1: none has been created')
})

test.each<[string, object, string, string | RegExp]>([
  ['no spec', { method: 'create' }, 'invalid-option', 'create.spec must be an object, got undefined'],
  ['no dimension', { method: 'create', spec: {} }, 'invalid-option', /^spec.dim is required: the number of variables/],
  [
    'an objective',
    { method: 'create', spec: { dim: 1, objective: 'rosenbrock' } },
    'invalid-option',
    /^spec.objective does nothing here/,
  ],
  ['retries', { method: 'create', spec: { dim: 1, retry: true } }, 'invalid-option', /^spec.retry does nothing here/],
  [
    'a wrong option',
    { method: 'create', spec: { dim: 1, seeds: 1 } },
    'unknown-option',
    /^spec has no option seeds; did you mean seed\?/,
  ],
  ['another method', { method: 'tune' }, 'invalid-option', /^there is no method "tune" \(known: create, ask, /],
  ['a method of JavaScript', { method: 'constructor' }, 'invalid-option', /^there is no method "constructor"/],
  ['another session', { method: 'ask', session: 9 }, 'invalid-option', 'there is no session 9 (there are: 1)'],
  [
    'an answer too many',
    { method: 'tell', session: 1, values: [1, 2] },
    'invalid-option',
    'tell.values must be a list of 1, one for each query, got a list of 2',
  ],
  [
    'an answer in words',
    { method: 'tell', session: 1, values: ['low'] },
    'invalid-option',
    'tell.values[0] must be a number, null or { "error": text }, got "low"',
  ],
  [
    'no list',
    { method: 'tell', session: 1, values: 4 },
    'invalid-option',
    'tell.values must be a list of 1, one for each query, got 4',
  ],
  [
    'a checkpoint of something else',
    { method: 'create', spec: { dim: 1 }, checkpoint: '{}' },
    'invalid-checkpoint',
    /checkpoint/,
  ],
])('refused, and the session goes on: %s', (_, request, code, message) => {
  const reply = makeServer()
  const call = (fields: object) => reply(JSON.stringify(fields)) as { result: { queries: number[][] }; error: never }
  call({ method: 'create', spec: { dim: 2 } })
  call({ method: 'ask', session: 1 })
  expect(reply(JSON.stringify({ id: 'a', ...request }))).toMatchObject({
    id: 'a',
    error: { code, message: typeof message === 'string' ? message : expect.stringMatching(message) },
  })
  expect(call({ method: 'tell', session: 1, values: [1] }).result).toMatchObject({ done: false })
})

test('what is no request is an error, and telling what was not asked', () => {
  const reply = makeServer()
  const messageOf = (line: string): string => (reply(line).error as { message: string }).message
  expect(messageOf('{')).toMatch(/^a request must be one line of JSON \(/)
  expect(messageOf('[1]')).toBe('a request must be an object, got Array(1)')
  reply('{"method":"create","spec":{"dim":1}}')
  expect(messageOf('{"method":"tell","session":1,"values":[1]}')).toBe('tell: nothing was asked')
})
