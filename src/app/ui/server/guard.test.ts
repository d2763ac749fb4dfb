import { describe, expect, test } from 'vitest'
import { cookieOf, type GuardOptions, refusalOf } from './guard.ts'

const token = 'a'.repeat(64)
const local: GuardOptions = { port: 4920, token }
const bare = { host: '127.0.0.1:4920' }
const good = { ...bare, 'x-zeroth-token': token }
const cookie = `zeroth-4920=${cookieOf(local).value}`
const post = {
  ...good,
  origin: 'http://127.0.0.1:4920',
  'content-type': 'application/json',
  'x-zeroth-token': token,
}
const statusOf = (
  method: string,
  headers: Record<string, string>,
  options: GuardOptions = local,
  path = '/api/works',
): number => refusalOf({ method, path, headers }, options)?.status ?? 200

describe('a host', () => {
  test.each(['127.0.0.1:4920', 'localhost:4920', 'LOCALHOST:4920', '[::1]:4920'])('%s is ours', (host) => {
    expect(statusOf('GET', { ...good, host })).toBe(200)
  })

  test.each([
    ...['evil.example', 'evil.example:4920', '127.0.0.1', '127.0.0.1:80', '127.0.0.1:4921', '127.0.0.2:4920'],
    ...[
      'localhost.evil.example:4920',
      '0.0.0.0:4920',
      '',
      'localhost:4920.evil.example',
      '127.0.0.1:4920@evil.example',
    ],
  ])('%s is not', (host) => {
    expect(statusOf('GET', { host })).toBe(421)
    expect(statusOf('POST', { ...post, host })).toBe(421)
  })

  test('that is missing is not', () => {
    expect(statusOf('GET', {})).toBe(421)
  })

  test('of the public address is ours, and its origin may write', () => {
    const options = { ...local, publicUrl: new URL('https://example.org/zeroth/') }
    const proxied = { ...post, host: 'example.org', origin: 'https://example.org' }
    expect(statusOf('POST', proxied, options)).toBe(200)
    expect(statusOf('POST', { ...proxied, origin: 'http://example.org' }, options)).toBe(403)
    expect(statusOf('POST', { ...proxied, origin: 'https://127.0.0.1:4920' }, options)).toBe(403)
  })
})

test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'post'])('the method %s is refused', (method) => {
  expect(statusOf(method, post)).toBe(405)
})

test('pages of other sites, and of other ports of this machine, read nothing', () => {
  for (const site of ['cross-site', 'same-site']) {
    expect(statusOf('GET', { ...good, 'sec-fetch-site': site })).toBe(403)
    expect(statusOf('POST', { ...post, 'sec-fetch-site': site })).toBe(403)
    // Someone who follows a link to the page itself may.
    expect(statusOf('GET', { ...good, 'sec-fetch-site': site }, local, '/')).toBe(200)
  }
  for (const site of ['same-origin', 'none']) expect(statusOf('GET', { ...good, 'sec-fetch-site': site })).toBe(200)
})

describe('what changes something', () => {
  test('needs the own origin, JSON and the token', () => {
    expect(statusOf('POST', post)).toBe(200)
    expect(statusOf('POST', { ...post, origin: 'http://evil.example' })).toBe(403)
    expect(statusOf('POST', { ...post, origin: 'http://localhost:4920' })).toBe(403)
    expect(statusOf('POST', { ...post, origin: 'null' })).toBe(403)
    const { origin: _, ...unsaid } = post
    expect(statusOf('POST', unsaid)).toBe(403)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
      expect(statusOf('POST', { ...post, 'content-type': type })).toBe(415)
    }
    expect(statusOf('POST', { ...post, 'x-zeroth-token': 'b'.repeat(64) })).toBe(401)
    expect(statusOf('POST', { ...post, 'x-zeroth-token': '' })).toBe(401)
  })

  test('is not satisfied with the cookie, which a browser sends by itself', () => {
    const { 'x-zeroth-token': _, ...rest } = post
    expect(statusOf('POST', { ...rest, cookie })).toBe(401)
    expect(refusalOf({ method: 'POST', path: '/', token, headers: { ...rest, cookie } }, local)?.status).toBe(401)
  })
})

describe('without the token', () => {
  test('nothing is read, on this machine as on others: other users reach it', () => {
    for (const options of [
      local,
      { ...local, hosts: ['192.168.0.7'] },
      { ...local, publicUrl: new URL('http://127.0.0.1:4920/') },
    ]) {
      for (const path of ['/', '/index.html', '/api/works', '/api/works/a', '/api/events', '/nothing', '/assets']) {
        expect(statusOf('GET', bare, options, path)).toBe(401)
        expect(statusOf('HEAD', bare, options, path)).toBe(401)
      }
    }
  })

  test('the scripts of the page, the same for everybody, may be fetched', () => {
    expect(statusOf('GET', bare, local, '/assets/main.js')).toBe(200)
    expect(statusOf('POST', { ...post, 'x-zeroth-token': '' }, local, '/assets/main.js')).toBe(401)
  })

  test.each(['b'.repeat(64), token.slice(1), `${token}a`, '', 'undefined', cookieOf(local).value])(
    '%s is none',
    (wrong) => {
      expect(statusOf('GET', { ...bare, 'x-zeroth-token': wrong })).toBe(401)
      expect(statusOf('GET', { ...bare, 'x-zeroth-token': wrong, cookie })).toBe(401)
      expect(refusalOf({ method: 'GET', path: '/', token: wrong, headers: bare }, local)?.status).toBe(401)
    },
  )
})

test('to read, the cookie is enough, which does not hold the token; each port has its own', () => {
  expect(cookie).not.toContain(token)
  expect(statusOf('GET', { ...bare, cookie })).toBe(200)
  expect(statusOf('GET', { ...bare, cookie: `other=1; ${cookie}` })).toBe(200)
  expect(statusOf('GET', { ...bare, cookie: cookie.replace('4920', '4921') })).toBe(401)
  expect(statusOf('GET', { ...bare, cookie: `zeroth-4920=${token}` })).toBe(401)
})

test('the token in the address opens the page and nothing else', () => {
  expect(refusalOf({ method: 'GET', path: '/', token, headers: bare }, local)).toBeUndefined()
  expect(refusalOf({ method: 'GET', path: '/api/works', token, headers: bare }, local)?.status).toBe(401)
})
