import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ContentStatus, QueueStatus } from '../../src/app/executors/queue/queue-control.ts'
import { type RedisServer, redis, startRedis } from '../queue/redis-server.ts'
import { attackObject, essence, filesIn, outcomes } from './attack-results.ts'
import { mortalServer } from './outage.ts'
import { type Ended, onlyObject, type Started, start, zeroth } from './zeroth.ts'

const password = 'canary-77c1-password'
const network = fileURLToPath(new URL('../../assets/digits/model.onnx', import.meta.url))
const few = ['--count', '4', '--max-queries', '200', '--json']
const longer = ['--count', '4', '--max-queries', '6000', '--solver', 'zo-adamm', '--json']

describe.skipIf('missing' in redis)('an attack by way of a queue', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'zeroth-queued-images-'))
  const workers: Started[] = []
  let server: RedisServer
  let env: Record<string, string>
  /** What all that was called has printed. */
  const printed: string[] = []

  beforeAll(async () => {
    server = await startRedis(['--requirepass', password])
    env = { REDIS_URL: server.url.replace('//', `//:${password}@`) }
    const made = async (out: string, args: readonly string[]) =>
      expect((await attack(out, '--model', 'digits', ...args)).code).toBe(0)
    // Attacks without a queue, which others are compared with.
    await Promise.all([made('none', few), made('longer', longer)])
  })
  afterAll(async () => {
    for (const { child } of workers) child.kill('SIGKILL')
    await server.close()
    rmSync(cwd, { recursive: true, force: true })
  })

  async function worker(name: string, ...args: readonly string[]): Promise<Started> {
    const started = start(['worker', 'env:REDIS_URL', '--name', name, ...args], { cwd, env })
    workers.push(started)
    while (!started.stderr().includes('at once')) {
      if (started.child.exitCode !== null) throw new Error(started.stderr())
      await new Promise((done) => setTimeout(done, 20))
    }
    return started
  }
  async function call(args: readonly string[]): Promise<Ended> {
    const ended = await zeroth(args, { cwd, env })
    printed.push(ended.stdout, ended.stderr)
    return ended
  }
  const attack = (out: string, ...args: readonly string[]) => call(['attack', ...args, '--out', out])
  const queue = (name: string) => ['--queue', 'env:REDIS_URL', '-O', `queue.name=${name}`]

  test.concurrent('leaves the same files with none, one and more workers', async () => {
    const plain = essence(join(cwd, 'none'))
    expect(Object.keys(plain).length).toBeGreaterThan(15)
    await worker('same', '--model', 'digits')
    const one = await attack('one', '--model', 'digits', ...few, ...queue('same'))
    expect(attackObject(one).images).toHaveLength(4)
    expect(essence(join(cwd, 'one'))).toEqual(plain)
    const second = await worker('same', '--model', 'digits', '-j', '8')
    await attack('two', '--model', 'digits', ...few, ...queue('same'))
    expect(essence(join(cwd, 'two'))).toEqual(plain)
    expect(filesIn(join(cwd, 'two')).sort()).toEqual(filesIn(join(cwd, 'none')).sort())

    const status = await call(['queue', 'status', 'env:REDIS_URL', '--name', 'same'])
    expect(status.stdout).toMatch(/^digits on digits:held-out +0 +0 +0 +0$/m)
    expect(status.stdout).toMatch(/, 8 at once: digits on digits:held-out \(content \w{16}, zeroth [\d.]+\)/)
    second.child.kill('SIGINT')
    const ended = await second.ended
    expect([ended.code, ended.stderr]).toEqual([0, expect.stringMatching(/left after \d+ images?, 0 failed\n$/)])
  })

  test.concurrent('is the same within limits with a second method, of a network and images in files', async () => {
    const images = join(cwd, 'photos')
    mkdirSync(images)
    const shown = readdirSync(join(cwd, 'none', 'images')).map((name) => join(cwd, 'none', 'images', name))
    shown.forEach((folder, i) => copyFileSync(join(folder, 'original.png'), join(images, `${i}.png`)))
    const labels = shown.map((folder) => JSON.parse(readFileSync(join(folder, 'image.json'), 'utf8')).label as number)
    writeFileSync(
      join(images, 'labels.csv'),
      ['file,label', ...labels.map((label, i) => `${i}.png,${label}`)].join('\n'),
    )
    copyFileSync(network, join(cwd, 'net.onnx'))
    const model = ['--model', 'net.onnx', '--images', 'photos', '--preprocessing', '{ range: [0, 1] }']
    const settings = [...model, '--linf', '0.05,0.1', '--solver', 'zo-adamm', ...few]
    expect((await attack('files', ...settings)).code).toBe(0)
    await worker('files', ...model, '-j', '2')
    expect((await attack('files-queued', ...settings, ...queue('files'))).code).toBe(0)
    expect(essence(join(cwd, 'files-queued'))).toEqual(essence(join(cwd, 'files')))

    // Another model, another preprocessing, another picture.
    copyFileSync(join(images, '0.png'), join(images, '1.png'))
    const others = [
      ['--model', 'digits'],
      ['--model', 'net.onnx', '--images', 'photos', '--preprocessing', '{ range: [0, 2] }'],
      model,
    ]
    const ends = await Promise.all(others.map((args, i) => attack(`other-${i}`, ...args, ...few, ...queue('files'))))
    for (const { code, stderr } of ends) {
      expect(code).toBe(1)
      expect(stderr).toMatch(/the run asks for .* \(content \w+.*, but .* serves net\.onnx on photos/)
    }
  })

  test.concurrent('is waited for by workers that serve the same, and refused to others', async () => {
    const running = start(['attack', '--model', 'digits', ...few, ...queue('late'), '--out', 'late'], { cwd, env })
    while (!running.stderr().includes('waiting for one')) await new Promise((done) => setTimeout(done, 20))
    const args = ['worker', 'env:REDIS_URL', '--name', 'late', '--model', 'digits', '--images', 'digits:tuning']
    const other = await call(args)
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringMatching(/asks for digits on digits:held-out .*, but this worker serves digits on digits:tuning/),
    ])
    await worker('late', '--model', 'digits')
    expect((await running.ended).code).toBe(0)
    expect(essence(join(cwd, 'late'))).toEqual(essence(join(cwd, 'none')))
  })

  test.concurrent('leaves images unfinished whose model falls silent at a worker; resumed, it ends as if it had not', async () => {
    const service = await mortalServer()
    const model = [
      '--model',
      `${service.url}/v2/models/digits`,
      '--images',
      'digits',
      '--permitted',
      '--patience',
      '1',
      '--rate',
      '500',
    ]
    const args = [...model, '--count', '3', '--max-queries', '67', '--json']
    try {
      expect((await attack('whole', ...args)).code).toBe(0)
      await worker('service', ...model)
      let requests = 0
      const isGone = new Promise<void>((done) => service.hear(() => ++requests === 12 && done())).then(service.kill)
      const ended = await attack('silent', ...args, ...queue('service'))
      await isGone
      expect(ended.code).toBe(1)
      expect(attackObject(ended).images.filter(({ status }) => status === 'unfinished').length).toBeGreaterThan(0)
      await service.revive()
      expect((await call(['resume', 'silent', '--json'])).code).toBe(0)
      expect(outcomes(join(cwd, 'silent'))).toEqual(outcomes(join(cwd, 'whole')))
    } finally {
      await service.close()
    }
  })

  const control = (action: string, name: string) => call(['queue', action, 'env:REDIS_URL', '--name', name, '--json'])

  /** The jobs of a queue, once no worker is at any of them. */
  async function settled(name: string): Promise<ContentStatus> {
    for (;;) {
      const { contents } = onlyObject(await control('status', name)) as unknown as QueueStatus
      const [jobs] = contents
      if (jobs !== undefined && jobs.waiting + jobs.active === 0) return jobs
    }
  }

  /** An attack that takes a while, at the moment when its first image has been handed out to the one worker. */
  async function handedOut(name: string, out: string): Promise<Started> {
    const args = ['attack', '--model', 'digits', ...longer, ...queue(name), '--out', out]
    const running = start(args, { cwd, env })
    await commanded(async (client) => {
      while ((await client.keys(`zeroth:images-${name}-*:active`)).length === 0)
        await new Promise((done) => setTimeout(done, 5))
    })
    return running
  }
  async function commanded<T>(use: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(env.REDIS_URL as string)
    return use(client).finally(() => client.disconnect())
  }

  test('whose images failed is done again by workers after queue retry; resumed, it takes their results', async () => {
    // The lock lasts: a full server lets nobody renew one.
    const only = await worker('again', '--model', 'digits', '--lock', '60s')
    const running = await handedOut('again', 'again')
    await commanded((client) => client.config('SET', 'maxmemory', '1mb'))
    const ended = await running.ended
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(/ is full: .* continues it\n$/)])
    const { failed, failures } = await settled('again')
    expect(failed).toBeGreaterThan(0)
    expect(failures[0]?.reason).toMatch(/^redis:\S+ is full: it takes no more jobs \(OOM/)
    await commanded((client) => client.config('SET', 'maxmemory', '0'))
    expect(onlyObject(await control('retry', 'again'))).toEqual({ action: 'retry', jobs: failed })
    expect(await settled('again')).toMatchObject({ failed: 0, answered: failed })
    expect((await call(['resume', 'again', '--json'])).code).toBe(0)
    expect(essence(join(cwd, 'again'))).toEqual(essence(join(cwd, 'longer')))
    only.child.kill('SIGINT')
    // No image was attacked to its end twice.
    expect((await only.ended).stderr).toMatch(/left after 4 images, 0 failed\n$/)
  })

  test.concurrent('cannot be drained while it runs; interrupted, what workers sent home can, and resumed it ends the same', async () => {
    const only = await worker('drained', '--model', 'digits')
    const running = await handedOut('drained', 'drained')
    const refused = await control('drain', 'drained')
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/is waiting for its jobs: stop it first/)])
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(130)
    const { answered } = await settled('drained')
    expect(answered).toBe(1)
    const parcels = () => commanded((client) => client.keys('zeroth:parcel:*'))
    expect(await parcels()).toHaveLength(1)
    expect(onlyObject(await control('drain', 'drained'))).toEqual({ action: 'drain', jobs: 1 })
    expect(await parcels()).toEqual([])
    expect(onlyObject(await control('status', 'drained'))).toMatchObject({ contents: [], runs: [] })
    expect((await call(['resume', 'drained', '--json'])).code).toBe(0)
    expect(essence(join(cwd, 'drained'))).toEqual(essence(join(cwd, 'longer')))
    only.child.kill('SIGINT')
    expect((await only.ended).stderr).toMatch(/left after \d images, 0 failed\n$/)
  })

  test.concurrent.each([
    [['attack', '--model', 'digits', '--universal'], /queue does nothing for universal attacks: one perturbation/],
    [['attack', '--model', 'digits', '-O', 'queue.rows=3'], /spec\.queue\.rows .*known: url, name/],
    [['worker', '--model', 'digits', '--exec', 'x'], /--exec: it does not go with a model/],
    [['worker', '--exec', 'x', '--dim', '2', '--rate', '3'], /--rate: it is for workers that attack images/],
  ])('refuses %j', async ([command = '', ...args], message) => {
    const where =
      command === 'attack' ? ['--queue', 'env:REDIS_URL', ...args, '--out', 'no'] : ['env:REDIS_URL', ...args]
    const { code, stderr } = await call([command, ...where])
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
  })

  test('leaves no secret anywhere', () => {
    const said = workers.flatMap((each) => [each.stdout(), each.stderr()])
    const written = filesIn(cwd).map((file) => readFileSync(join(cwd, file), 'latin1'))
    const texts = [...printed, ...said, ...written]
    expect(texts.length).toBeGreaterThan(100)
    expect(texts.filter((text) => text.includes(password))).toEqual([])
  })
})
