import { describe, expect, test } from 'vitest'
import { compileSpec } from './compile-spec.ts'
import type { Json } from './plain-data.ts'

const http = (options: Record<string, Json>) => () =>
  compileSpec({ objective: { name: 'http', url: 'http://127.0.0.1:1/', ...options }, dim: 2 })
const exec = (env: Record<string, Json>) => () =>
  compileSpec({ objective: { name: 'exec', command: ['true'], env }, dim: 2 })

describe('a secret that is written out', () => {
  test.each([
    'authorization',
    'Authorization',
    'Cookie',
    'X-API-Key',
    'x-auth-token',
    'my-secret',
    'Proxy-Authorization',
  ])('as the header %s is refused, and not repeated', (name) => {
    const message = `spec.objective.headers.${name} must not be written out: give { env: NAME } or { file: PATH }`
    expect(http({ headers: { [name]: 'canary-4711' } })).toThrow(message)
    expect(http({ headers: { [name]: 'canary-4711' } })).not.toThrow('canary')
  })

  test.each(['API_KEY', 'TOKEN', 'DB_PASSWORD', 'apikey', 'client-secret'])('as the variable %s is refused', (name) => {
    expect(exec({ [name]: 'canary-4711' })).toThrow(`spec.objective.env.${name} must not be written out`)
  })

  test.each([
    ['http://me:canary-4711@127.0.0.1/', 'spec.objective.url must not hold a user or a password'],
    ['http://127.0.0.1/f?a=1&api_key=canary-4711', 'spec.objective.url must not hold the parameter api_key'],
    [' https://127.0.0.1/?token', 'spec.objective.url must not hold the parameter token'],
  ])('inside the address %s is refused', (url, message) => {
    expect(http({ url })).toThrow(message)
    expect(http({ url })).not.toThrow('canary')
  })
})

test('a secret may stay in the environment, and the resolved spec says only where', () => {
  process.env.ZEROTH_SPEC_TEST = 'canary-4711'
  const { resolved } = http({ headers: { Authorization: { env: 'ZEROTH_SPEC_TEST' }, Accept: 'application/json' } })()
  delete process.env.ZEROTH_SPEC_TEST
  expect(resolved.objective).toMatchObject({
    headers: { Authorization: { env: 'ZEROTH_SPEC_TEST' }, Accept: 'application/json' },
  })
  expect(JSON.stringify(resolved)).not.toContain('canary')
})

test('a secret that is missing is named by its place', () => {
  expect(http({ headers: { Authorization: { env: 'ZEROTH_SPEC_NOT_SET' } } })).toThrow(
    'spec.objective: http.headers.Authorization: the environment variable ZEROTH_SPEC_NOT_SET is not set',
  )
})

test('what only sounds like a secret may stand there', () => {
  expect(exec({ TOKENIZERS_PARALLELISM: 'false', KEYBOARD: 'us', MODE: 'x' })).not.toThrow()
  expect(http({ url: 'http://127.0.0.1:1/f?model=a', body: { x: '$x', max_tokens: 5 } })).not.toThrow()
})
