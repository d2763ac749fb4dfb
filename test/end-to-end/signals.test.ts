import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atWork, longestStop, stopped } from './stopped-work.ts'
import { onlyObject, start, zeroth } from './zeroth.ts'

const cwd = mkdtempSync(join(tmpdir(), 'zeroth-signals-'))

beforeAll(() => {
  // Answers 40 queries, then none; minds neither a polite signal nor the end of its input.
  writeFileSync(
    join(cwd, 'hang.mjs'),
    `import { appendFileSync } from 'node:fs'
     import { createInterface } from 'node:readline'
     process.on('SIGTERM', () => undefined)
     setInterval(() => undefined, 1000)
     appendFileSync(process.argv[2], process.pid + '\\n')
     let asked = 0
     for await (const line of createInterface({ input: process.stdin })) {
       if (++asked > 40) continue
       console.log(JSON.stringify({ id: JSON.parse(line).id, value: asked }))
     }`,
  )
  writeFileSync(
    join(cwd, 'slow.mjs'),
    'export default async (x) => { await new Promise((done) => setTimeout(done, 3)); return x[0] }',
  )
})
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const interrupted = (args: readonly string[], out: string, act: Parameters<typeof stopped>[3]) =>
  stopped(args, out, { cwd }, act)

const minimize = ['minimize', '--solver', 'zo-adamm', '--dim', '2']
const program = (pids: string) => [...minimize, '--exec', `"${process.execPath}" hang.mjs ${pids}`]
const module = [...minimize, '--module', 'slow.mjs', '--max-queries', '400']

describe.concurrent('the first signal saves and stops, whatever hangs', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s during a program that hangs', async (name) => {
    const { took, ...ended } = await interrupted(program(`pids-${name}`), `program-${name}`, (kill) => kill(name))
    expect(ended.code).toBe(130)
    expect(took).toBeLessThan(longestStop)
    expect(onlyObject(ended)).toMatchObject({ status: 'aborted', stopReason: 'aborted', iterations: 3, queries: 33 })
    expect(ended.stderr).toBe(
      `interrupted: saving (Ctrl-C again to quit now)\ninterrupted and saved: continue with zeroth resume ${join(cwd, `program-${name}`)}\n`,
    )
    const left = readFileSync(join(cwd, `pids-${name}`), 'utf8')
      .trim()
      .split('\n')
      .map(Number)
      .filter(isAlive)
    expect(left).toEqual([])
  })

  test('a series, which then goes on as if nothing had happened', async () => {
    const series = [...module.slice(0, -1), '300', '--repeat', '2', '-j', '2']
    const { child, ended } = start([...series, '--out', 'series', '--json'], { cwd })
    await atWork(join(cwd, 'series/seed-0'))
    child.kill('SIGINT')
    const first = await ended
    expect(first.code).toBe(130)
    expect(onlyObject(first)).toMatchObject({ status: 'aborted', planned: 2 })
    const rest = await zeroth(['resume', 'series', '--json'], { cwd })
    expect(rest.code).toBe(0)
    expect((onlyObject(rest).runs as unknown[]).length).toBe(2)
  })
})

test.concurrent('a run that was interrupted and resumed ends as one that was not', async () => {
  const whole = await zeroth([...module, '--out', 'whole', '--json'], { cwd })
  const cut = await interrupted(module, 'cut', (kill) => kill('SIGINT'))
  expect(cut.code).toBe(130)
  const rest = await zeroth(['resume', 'cut', '--json'], { cwd })
  expect(rest.code).toBe(0)
  expect(onlyObject(rest).hash).toBe(onlyObject(whole).hash)
})

test.concurrent('the second signal ends it without waiting for anything to be saved', async () => {
  const { code, stdout } = await interrupted(program('pids-twice'), 'twice', async (kill, stderr) => {
    kill('SIGINT')
    while (!stderr().includes('interrupted: saving')) await sleep(5)
    kill('SIGINT')
  })
  expect({ code, stdout }).toEqual({ code: 130, stdout: '' })
  expect((await zeroth(['show', 'twice', '--json'], { cwd })).code).toBe(0)
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
