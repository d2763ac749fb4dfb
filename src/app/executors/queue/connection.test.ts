import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RedisServer, redis, startRedis } from '../../../../test/queue/redis-server.ts'
import { tcpProxy } from '../../../../test/queue/tcp-proxy.ts'
import { ZerothError } from '../../../optimizer/core/errors.ts'
import { connect } from './connection.ts'
import { redisAddress } from './redis-address.ts'

const connected = (url: string): ReturnType<typeof connect> => connect(redisAddress(url))

/** Why there is no connection: the error's code and message. */
async function refusal(url: string): Promise<[string, string]> {
  const error = await connected(url).then(
    (connection) => connection.close().then(() => new Error('connected')),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ZerothError)
  return [(error as ZerothError).code, (error as ZerothError).message]
}

describe.skipIf('missing' in redis)('a connection', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.close())

  test('is refused where nobody listens, and says where', async () => {
    expect(await refusal('redis://127.0.0.1:1')).toEqual([
      'unreachable',
      'no Redis can be reached at redis://127.0.0.1:1 (connect ECONNREFUSED 127.0.0.1:1)',
    ])
  })

  test('is refused where the name is unknown', async () => {
    const [code, message] = await refusal('redis://no-such-host.invalid')
    expect(code).toBe('unreachable')
    expect(message).toMatch(/no Redis can be reached at redis:\/\/no-such-host\.invalid \(getaddrinfo \w+/)
  })

  test('is refused where the server has no such database', async () => {
    await (await connected(`${server.url}/15`)).close()
    expect(await refusal(`${server.url}/16`)).toEqual([
      'unreachable',
      `no Redis can be reached at ${server.url}/16 (ERR DB index is out of range)`,
    ])
  })

  test('needs the password, and never shows it', async () => {
    const locked = await startRedis(['--requirepass', 'open-sesame'])
    try {
      const [code, message] = await refusal(locked.url)
      expect([code, message]).toEqual([
        'invalid-option',
        expect.stringContaining('refuses the connection: no password was given'),
      ])
      const wrong = await refusal(locked.url.replace('//', '//:not-sesame@'))
      expect(wrong).toEqual(['invalid-option', expect.stringContaining('the user or the password is wrong')])
      expect(wrong[1]).not.toContain('not-sesame')
      await (await connected(locked.url.replace('//', '//:open-sesame@'))).close()
    } finally {
      await locked.close()
    }
  })

  test('is refused by an old server', async () => {
    const old = await tcpProxy(server.port, (text) => text.replace(/redis_version:\d/, 'redis_version:6'))
    try {
      expect(await refusal(old.url)).toEqual([
        'invalid-option',
        expect.stringMatching(/^redis:\/\/127\.0\.0\.1:\d+ is Redis 6\.\S+; a queue needs Redis or Valkey 7 or later$/),
      ])
    } finally {
      await old.close()
    }
  })

  test('is refused by a server that would drop jobs', async () => {
    const forgetful = await startRedis(['--maxmemory-policy', 'allkeys-lru'])
    try {
      expect((await refusal(forgetful.url))[1]).toBe(
        `${forgetful.url} has the eviction policy allkeys-lru: when memory is short it would delete jobs without a word; set maxmemory-policy noeviction`,
      )
    } finally {
      await forgetful.close()
    }
  })

  test('is enough for a user who may touch the keys of zeroth only', async () => {
    const acl = ['on', '>guest-word', '~zeroth:*', '&zeroth:*', '+@all', '-@admin', '-@dangerous', '+info', '+client']
    await server.command((client) => client.call('ACL', 'SETUSER', 'guest', ...acl))
    const connection = await connected(server.url.replace('//', '//guest:guest-word@'))
    expect(await connection.client.set('zeroth:x', '1')).toBe('OK')
    const error = await connection.client.set('other', '1').catch((reason: unknown) => connection.failure(reason))
    expect((error as ZerothError).message).toMatch(/does not let this user do what a queue needs: NOPERM/)
    await connection.close()
  })

  test('says that a server is full', async () => {
    const full = await startRedis(['--maxmemory', '2mb'])
    const connection = await connected(full.url)
    try {
      const error = await connection.client
        .set('zeroth:x', Buffer.alloc(4_000_000))
        .then(() => connection.client.set('zeroth:y', '1'))
        .catch((reason: unknown) => connection.failure(reason))
      expect((error as ZerothError).code).toBe('unreachable')
      expect((error as ZerothError).message).toMatch(/ is full: it takes no more jobs \(OOM .*; raise its maxmemory/)
    } finally {
      await connection.close()
      await full.close()
    }
  })

  test('tells when it is lost and when it is back', async () => {
    const proxy = await tcpProxy(server.port)
    const connection = await connected(proxy.url)
    const told: string[] = []
    connection.onLoss((reason) => told.push(`lost: ${reason}`))
    const back = new Promise<void>((resolve) => connection.onReturn(resolve))
    proxy.cut(150)
    await back
    expect(told).toHaveLength(1)
    expect(connection.lostFor()).toBe(0)
    await connection.close()
    await proxy.close()
  })
})
