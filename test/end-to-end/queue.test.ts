import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RedisServer, redis, startRedis } from '../queue/redis-server.ts'
import { onlyObject, type Started, start, zeroth } from './zeroth.ts'

const password = 'canary-9f3b-password'
const objective = `
  require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, x } = JSON.parse(line)
    console.log(JSON.stringify({ id, value: x.reduce((sum, v, i) => sum + (v - i / 3) * (v - i / 3), 0.1) }))
  })`
const spec = `objective: { name: exec, command: [node, objective.cjs] }
dim: 4
solver: { name: zo-adamm, directions: 12 }
maxQueries: 130
seed: 4
`

describe.skipIf('missing' in redis)('the command line with a queue', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-queue-'))
  let server: RedisServer
  let env: Record<string, string>
  const workers: Started[] = []

  beforeAll(async () => {
    server = await startRedis(['--requirepass', password])
    env = { REDIS_URL: server.url.replace('//', `//:${password}@`) }
    writeFileSync(join(folder, 'objective.cjs'), objective)
    writeFileSync(join(folder, 'problem.yaml'), spec)
    writeFileSync(join(folder, 'queued.yaml'), `${spec}queue: { url: { env: REDIS_URL }, rowsPerJob: 5 }\n`)
  })
  afterAll(async () => {
    for (const { child } of workers) child.kill('SIGKILL')
    await server.close()
    rmSync(folder, { recursive: true })
  })

  async function worker(...args: readonly string[]): Promise<Started> {
    const started = start(['worker', 'env:REDIS_URL', ...args], { cwd: folder, env })
    workers.push(started)
    while (!started.stderr().includes('at once')) {
      if (started.child.exitCode !== null) throw new Error(started.stderr())
      await new Promise((done) => setTimeout(done, 20))
    }
    return started
  }

  test('finds the same with none, one and more workers, leaves no secret anywhere, and is seen', async () => {
    const plain = onlyObject(await zeroth(['minimize', 'problem.yaml', '--out', 'plain', '--json'], { cwd: folder }))
    const first = await worker('problem.yaml')
    const one = await zeroth(['minimize', 'problem.yaml', '--queue', 'env:REDIS_URL', '--out', 'one', '--json'], {
      cwd: folder,
      env,
    })
    expect(onlyObject(one).hash).toBe(plain.hash)
    const second = await worker('--exec', 'node objective.cjs', '--dim', '4', '-j', '3')
    const two = await zeroth(['minimize', 'queued.yaml', '--out', 'two', '--json'], { cwd: folder, env })
    expect(onlyObject(two).hash).toBe(plain.hash)

    const status = await zeroth(['queue', 'status', 'env:REDIS_URL'], { cwd: folder, env })
    expect(status.stdout).toMatch(/^queue default at redis:\/\/127\.0\.0\.1:\d+$/m)
    expect(status.stdout).toMatch(/^exec node objective\.cjs +0 +0 +0 +\d+$/m)
    expect(status.stdout.match(/at once: exec node objective\.cjs \(content \w{16}, zeroth [\d.]+\)/g)).toHaveLength(2)

    const metrics = await zeroth(['queue', 'status', 'env:REDIS_URL', '--metrics'], { cwd: folder, env })
    expect(metrics.stdout).toMatch(/^zeroth_queue_jobs\{queue="default",serves="exec .*",state="waiting"\} 0$/m)
    expect(metrics.stdout.match(/^zeroth_queue_worker_lanes\{.*\} \d$/gm)).toHaveLength(2)
    const mixed = await zeroth(['queue', 'drain', 'env:REDIS_URL', '--metrics'], { cwd: folder, env })
    expect([mixed.code, mixed.stderr]).toEqual([2, 'zeroth: --metrics is for queue status, got queue drain\n'])

    first.child.kill('SIGTERM')
    second.child.kill('SIGINT')
    const ends = await Promise.all([first.ended, second.ended])
    expect(ends.map(({ code }) => code)).toEqual([0, 0])
    expect(ends[0]?.stderr).toMatch(/zeroth worker: left after \d+ jobs with \d+ rows, 0 failed\n$/)
    const drained = await zeroth(['queue', 'drain', 'env:REDIS_URL', '--json'], { cwd: folder, env })
    expect(onlyObject(drained)).toMatchObject({ action: 'drain' })

    const texts = [one, two, status, ...ends].map(({ stdout, stderr }) => stdout + stderr)
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
    const written = files.map((each) => readFileSync(join(each.parentPath, each.name), 'latin1'))
    expect([...texts, ...written].filter((text) => text.includes(password))).toEqual([])
  })

  test('refuses a password in a spec or an option, and says how to give it', async () => {
    const refused = await zeroth(['minimize', 'problem.yaml', '--queue', env.REDIS_URL as string], { cwd: folder })
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('must not hold a user or a password: give { env: NAME } or { file: PATH }')
    expect(refused.stderr).not.toContain(password)
  })

  test('says what is wrong with a server', async () => {
    const wrong = { REDIS_URL: server.url.replace('//', '//:not-the-one@') }
    const refused = await zeroth(['minimize', 'queued.yaml', '--out', 'wrong'], { cwd: folder, env: wrong })
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(/refuses the connection: the user or the password is wrong/)
    const gone = await zeroth(['worker', 'redis://127.0.0.1:1', 'problem.yaml'], { cwd: folder })
    expect([gone.code, gone.stderr]).toEqual([
      1,
      'zeroth: no Redis can be reached at redis://127.0.0.1:1 (connect ECONNREFUSED 127.0.0.1:1)\n',
    ])
  })

  test('ends a run at a full server with a clear word, and resumes it when there is room', async () => {
    const plain = onlyObject(await zeroth(['minimize', 'problem.yaml', '--out', 'plain-2', '--json'], { cwd: folder }))
    await worker('problem.yaml', '--name', 'full')
    const client = new Redis(env.REDIS_URL as string)
    await client.config('SET', 'maxmemory', '1mb')
    const args = ['minimize', 'queued.yaml', '-O', 'queue.name=full', '--out', 'full', '--json']
    const full = await zeroth(args, { cwd: folder, env })
    expect(full.code).toBe(1)
    expect(full.stderr).toMatch(
      /^zeroth: redis:\S+ is full: it takes no more jobs \(.*zeroth resume .*full continues it$/m,
    )
    await client.config('SET', 'maxmemory', '0')
    client.disconnect()
    const resumed = await zeroth(['resume', 'full', '--json'], { cwd: folder, env })
    expect(onlyObject(resumed).hash).toBe(plain.hash)
  })
})
