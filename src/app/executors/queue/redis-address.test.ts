import { describe, expect, test } from 'vitest'
import { redisAddress } from './redis-address.ts'

describe('an address', () => {
  test('says where the server is', () => {
    expect(redisAddress('redis://example.org')).toMatchObject({
      host: 'example.org',
      port: 6379,
      db: 0,
      isEncrypted: false,
    })
    expect(redisAddress('rediss://[::1]:7000/3')).toMatchObject({ host: '::1', port: 7000, db: 3, isEncrypted: true })
  })

  test('shows neither the user nor the password, and takes them out of texts', () => {
    const { username, password, shown, redact } = redisAddress('redis://me:p%40ss-word@example.org:7000/2')
    expect([username, password, shown]).toEqual(['me', 'p@ss-word', 'redis://example.org:7000/2'])
    expect(redact('AUTH p@ss-word, AUTH p%40ss-word')).toBe('AUTH [secret], AUTH [secret]')
  })

  test.each([
    ['localhost:6379', 'got a URL of the kind localhost:'],
    ['http://localhost', 'got a URL of the kind http:'],
    ['//:secret@x', 'got a text that is no URL'],
  ])('%s is none', (text, what) => {
    const allowed = 'queue.url must be an address like redis://host:6379 or, with TLS, rediss://host:6379'
    expect(() => redisAddress(text)).toThrow(`${allowed}, ${what}`)
  })

  test('ends with the number of a database, if with anything', () => {
    expect(() => redisAddress('redis://x/first')).toThrow('queue.url must end with the number of a database')
  })
})
