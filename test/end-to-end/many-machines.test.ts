import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RedisServer, redis, startRedis } from '../queue/redis-server.ts'
import { essence } from './attack-results.ts'
import { type Started, start, zeroth } from './zeroth.ts'

// The page is done step by step: its files are written, its workers started, its commands run, its user of Redis created.
const page = readFileSync(fileURLToPath(new URL('../../docs/many-machines.md', import.meta.url)), 'utf8')
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1] as string)
const commands = blocks('sh').flatMap((block) => block.trim().split('\n'))
const commandFor = (name: string): string[] =>
  (commands.find((line) => line.startsWith(`zeroth ${name}`)) ?? '').split(' ').slice(1)

describe.skipIf('missing' in redis)('docs/many-machines.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-machines-'))
  const workers: Started[] = []
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
    writeFileSync(join(folder, 'problem.yaml'), blocks('yaml')[0] as string)
    writeFileSync(join(folder, 'objective.py'), blocks('python')[0] as string)
  })
  afterAll(async () => {
    for (const { child } of workers) child.kill('SIGKILL')
    await server.close()
    rmSync(folder, { recursive: true })
  })

  const at = (args: readonly string[], url: string): string[] =>
    args.map((arg) => (arg === 'redis://queue:6379' ? url : arg))

  async function work(args: readonly string[]): Promise<void> {
    const worker = start(args, { cwd: folder })
    workers.push(worker)
    while (!worker.stderr().includes('at once')) {
      if (worker.child.exitCode !== null) throw new Error(worker.stderr())
      await new Promise((done) => setTimeout(done, 20))
    }
  }

  test('installs the versions that zeroth was tested with', () => {
    const { devDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      devDependencies: Record<string, string>
    }
    const { bullmq, ioredis } = devDependencies
    expect(commands[0]).toBe(`npm install zeroth bullmq@${bullmq} ioredis@${ioredis}`)
  })

  test('its commands do what it says', async () => {
    await work(at(commandFor('worker'), server.url))
    const run = await zeroth(at(commandFor('minimize'), server.url), { cwd: folder })
    expect([run.code, run.stderr]).toEqual([0, expect.any(String)])
    const status = await zeroth(at(commandFor('queue status'), server.url), { cwd: folder })
    const shown = blocks('text').find((text) => text.startsWith('queue default')) as string
    const pattern = shown.split('...').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    expect(status.stdout).toMatch(new RegExp(`^${pattern.join('.*')}$`))
    const measured = commands.find((line) => line.endsWith('--metrics')) as string
    const metrics = await zeroth(at(measured.split(' ').slice(1), server.url), { cwd: folder })
    expect(metrics.stdout).toMatch(/^zeroth_queue_jobs\{queue="default",.*,state="answered"\} 147$/m)
  })

  test('its attack leaves the same files as one without a queue', async () => {
    const [worker = '', attack = ''] = ['zeroth worker redis://queue:6379 --model', 'zeroth attack'].map((begin) =>
      commands.find((line) => line.startsWith(begin)),
    )
    await work(at(worker.split(' ').slice(1), server.url))
    const words = attack.split(' ').slice(1)
    const queued = await zeroth(at(words, server.url), { cwd: folder })
    expect([queued.code, queued.stderr]).toEqual([0, expect.any(String)])
    const alone = words.filter((_, i) => i < words.indexOf('--queue'))
    expect((await zeroth([...alone, '--out', 'alone'], { cwd: folder })).code).toBe(0)
    expect(essence(join(folder, 'attack'))).toEqual(essence(join(folder, 'alone')))
  })

  test('the user of Redis that it creates is enough', async () => {
    const line = blocks('text').find((text) => text.startsWith('ACL SETUSER')) as string
    const [, name, ...rules] = line.trim().split(' ').slice(1) as [string, string, ...string[]]
    await server.command((client) => client.call('ACL', 'SETUSER', name, ...rules))
    const url = server.url.replace('//', `//${name}:the-password@`)
    writeFileSync(join(folder, 'address'), `${url}\n`)
    await work(['worker', 'file:address', 'problem.yaml', '--name', 'guest'])
    const run = await zeroth(
      ['minimize', 'problem.yaml', '--queue', 'file:address', '-O', 'queue.name=guest', '--out', 'guest'],
      { cwd: folder },
    )
    expect([run.code, run.stderr]).toEqual([0, expect.any(String)])
    const status = await zeroth(['queue', 'status', 'file:address', '--name', 'guest'], { cwd: folder })
    expect(status.code).toBe(0)
  })
})
