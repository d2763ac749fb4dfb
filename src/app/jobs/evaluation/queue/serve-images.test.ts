import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { essence } from '../../../../../test/end-to-end/attack-results.ts'
import { type RedisServer, redis, startRedis } from '../../../../../test/queue/redis-server.ts'
import { announce } from '../../../executors/queue/announcements.ts'
import { type AttackSpec, compileAttack, openAttack, servedAttack } from '../../../spec/attack/index.ts'
import { openEvaluation } from '../evaluation.ts'
import { type ImageWorker, serveImages } from './serve-images.ts'

const network = fileURLToPath(new URL('../../../../../assets/digits/model.onnx', import.meta.url))

describe.skipIf('missing' in redis)('images handed out', () => {
  const root = mkdtempSync(join(tmpdir(), 'zeroth-serve-'))
  const secret = join(root, 'canary-folder')
  const base = { images: 'digits', preprocessing: { range: [0, 1] }, count: 3, maxQueries: 300, seed: 3 }
  const spec: AttackSpec = { ...base, model: join(secret, 'net.onnx') }
  let server: RedisServer
  let stop: () => Promise<void>
  let worker: ImageWorker
  let plain: Record<string, string>

  beforeAll(async () => {
    server = await startRedis()
    mkdirSync(secret)
    copyFileSync(network, join(secret, 'net.onnx'))
    copyFileSync(network, join(root, 'other.onnx'))
    // The same network at another place.
    const opened = await openAttack(await compileAttack({ ...spec, model: join(root, 'other.onnx') }))
    worker = await serveImages({ opened, url: server.url, concurrency: 2 })
    stop = async () => {
      await worker.stop()
      await opened.model.close()
    }
    await perform('plain', spec)
    plain = essence(join(root, 'plain'))
  })
  afterAll(async () => {
    await stop()
    await server.close()
    rmSync(root, { recursive: true, force: true })
  })

  async function perform(name: string, of: AttackSpec, signal?: AbortSignal): Promise<string[]> {
    const told: string[] = []
    for await (const event of (await openEvaluation(join(root, name), of)).perform({ signal })) {
      told.push(event.type === 'warning' ? `${event.code}: ${event.message}` : event.type)
    }
    return told
  }

  test('leave the same files, and neither paths nor addresses on the server', async () => {
    const client = new Redis(server.url)
    const monitor = await client.monitor()
    const said: string[] = []
    monitor.on('monitor', (_, words: string[]) => said.push(words.join(' ')))
    const told = await perform('queued', { ...spec, queue: server.url })
    monitor.disconnect()
    client.disconnect()
    expect(essence(join(root, 'queued'))).toEqual(plain)
    expect(told.filter((type) => type === 'item')).toHaveLength(3)
    expect(said.length).toBeGreaterThan(10)
    expect(said.filter((text) => text.includes('canary-folder'))).toEqual([])
    // The folder says where its own model is, as that of an attack on one machine does.
    const meta = (name: string) => JSON.parse(readFileSync(join(root, name, 'images/0000/meta.json'), 'utf8')).spec
    expect(meta('queued').attack.model).toEqual(meta('plain').attack.model)
    expect(meta('queued').image).toEqual(meta('plain').image)
  })

  test('are counted in the progress of the attack while they wait', async () => {
    const place = { prefix: 'zeroth', name: 'idle', role: 'workers' } as const
    const resolved = await compileAttack({ ...spec, queue: { url: server.url, name: place.name } })
    const opened = await openAttack(resolved)
    const client = new Redis(server.url)
    // One that is there and does nothing.
    const serves = await servedAttack(opened.resolved, opened.model)
    const idle = await announce(client, place, { id: 'idle', serves, concurrency: 1 })
    const stopping = new AbortController()
    const evaluation = await openEvaluation(join(root, 'idle'), {
      ...spec,
      queue: { url: server.url, name: place.name },
    })
    let counts: unknown
    for await (const event of evaluation.perform({ signal: stopping.signal })) {
      if (event.type !== 'progress' || event.queue === undefined) continue
      counts = event.queue
      stopping.abort()
    }
    expect(counts).toEqual({ workers: 1, waiting: 3, active: 0, failed: 0 })
    await idle.leave()
    client.disconnect()
    await opened.model.close()
  })

  test('go on here where they had begun here, and the other way round', async () => {
    const stopping = new AbortController()
    const evaluation = await openEvaluation(join(root, 'begun'), { ...spec, parallel: 2 })
    for await (const { type } of evaluation.perform({ signal: stopping.signal })) {
      if (type === 'item' || type === 'progress') stopping.abort()
    }
    const before = worker.counts.jobs
    await perform('begun', { ...spec, queue: server.url })
    expect(essence(join(root, 'begun'))).toEqual(plain)
    expect(worker.counts.jobs - before).toBeLessThanOrEqual(3)
    // An attack that is complete asks nobody.
    await perform('begun', { ...spec, queue: 'redis://127.0.0.1:1' })
    await perform('begun', spec)
    expect(essence(join(root, 'begun'))).toEqual(plain)
  })

  test('are not handed out to workers with another network', async () => {
    const other = { ...spec, preprocessing: { range: [0, 2] }, queue: server.url } as AttackSpec
    await expect(perform('other', other)).rejects.toThrow(
      /the run asks for net\.onnx on digits:held-out \(content \w+, zeroth \S+\), but \S+ serves other\.onnx on digits/,
    )
  })
})
