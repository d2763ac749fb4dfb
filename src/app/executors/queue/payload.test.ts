import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limitMemory, type RedisServer, redis, startRedis } from '../../../../test/queue/redis-server.ts'
import { dropPayload, payloadIn, sendPayload, takePayload } from './payload.ts'

describe.skipIf('missing' in redis)('a parcel', () => {
  let server: RedisServer
  let client: Redis
  beforeAll(async () => {
    server = await startRedis()
    client = new Redis(server.url)
  })
  afterAll(async () => {
    client.disconnect()
    await server.close()
  })
  const content = Buffer.alloc(1_200_000, 'some bytes ')

  test('comes home in pieces and leaves nothing behind', async () => {
    const parcel = await sendPayload(client, 'zeroth', 'job', content)
    expect(await client.dbsize()).toBe(3)
    expect(await client.ttl(`zeroth:parcel:${parcel.hash}:0`)).toBeGreaterThan(80_000)
    expect((await takePayload(client, 'zeroth', 'job', parcel))?.equals(content)).toBe(true)
    await dropPayload(client, 'zeroth', parcel)
    expect(await client.dbsize()).toBe(0)
  })

  test('is none where a piece is missing, changed, or of another job', async () => {
    const parcel = await sendPayload(client, 'zeroth', 'job', content)
    expect(await takePayload(client, 'zeroth', 'another', parcel)).toBe(undefined)
    await client.setrange(`zeroth:parcel:${parcel.hash}:1`, 7, 'x')
    expect(await takePayload(client, 'zeroth', 'job', parcel)).toBe(undefined)
    await client.del(`zeroth:parcel:${parcel.hash}:1`)
    expect(await takePayload(client, 'zeroth', 'job', parcel)).toBe(undefined)
    await dropPayload(client, 'zeroth', parcel)
  })

  test('that a full server does not take to its end leaves nothing there', async () => {
    const { used_memory: used } = Object.fromEntries(
      (await client.info('memory')).split('\r\n').map((line) => line.split(':')),
    )
    await limitMemory(server, `${Number(used) + 4_000_000}`)
    await expect(sendPayload(client, 'zeroth', 'job', Buffer.alloc(9_000_000))).rejects.toThrow('OOM')
    expect(await client.dbsize()).toBe(0)
    await limitMemory(server, '0')
  })

  test('is bounded', async () => {
    await expect(sendPayload(client, 'zeroth', 'job', Buffer.alloc(268_435_457))).rejects.toThrow(
      'job job has 268435457 bytes to send home, at most 268435456 can be sent',
    )
    const hash = 'a'.repeat(64)
    expect(payloadIn({ worker: 'w', hash, bytes: 5 })).toEqual({ hash, bytes: 5 })
    const nonsense = [null, 3, 'x', {}, { hash: '../x', bytes: 5 }, { hash, bytes: 1e12 }, { hash, bytes: -1 }]
    expect(nonsense.map(payloadIn)).toEqual(nonsense.map(() => undefined))
  })
})
