import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { minimize, zoAdaMM } from 'zeroth'
import { execObjective } from 'zeroth/objectives'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-programs-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A child that minds neither a polite signal nor the end of its input, and one of its own; it answers all the same. */
const stubborn = `trap "" TERM INT
  sleep 1000 &
  echo $$ > "$1"
  while read -r line; do echo 1; done
  while :; do sleep 1000; done`

const linger = 'setTimeout(() => undefined, 1e6)'

test.each([
  ['ends by itself without closing its objective', '', 0],
  ['calls process.exit', 'process.exit(3)', 3],
  ['dies of an exception', "throw new Error('stray')", 1],
  ['is told to end by a signal', `process.kill(process.pid, 'SIGTERM'); ${linger}`, 'SIGTERM'],
  ['is interrupted', `process.kill(process.pid, 'SIGINT'); ${linger}`, 'SIGINT'],
  [
    'listens to the signal itself and takes its time',
    `process.once('SIGINT', () => setTimeout(() => process.exit(5), 200)); process.kill(process.pid, 'SIGINT'); ${linger}`,
    5,
  ],
])('a program that %s leaves no process behind', async (_, last, how) => {
  const file = join(mkdtempSync(join(folder, 'run-')), 'pid')
  const options = JSON.stringify({ dim: 2, command: ['sh', '-c', stubborn, 'sh', file] })
  const script = `
    import { minimize } from 'zeroth'
    import { execObjective } from 'zeroth/objectives'
    await minimize(execObjective(${options}), [1, 1], { maxIterations: 3 })
    ${last}`
  expect(await ended(script)).toBe(how)
  expect(existsSync(file)).toBe(true)
  // Killed they are before the program ends; a busy machine takes them away a little later.
  await expect.poll(() => living(Number(readFileSync(file, 'utf8')))).toEqual([])
})

describe('the reference clients', () => {
  const start = [1.25, -0.5, 0.75]
  const options = { seed: 5, solver: zoAdaMM({ directions: 2 }) }
  const clients = [
    ['objective.mjs', process.execPath],
    ['objective.sh', 'sh'],
    ['objective.py', 'python3'],
  ] as const

  test.each(clients)('%s answers many queries as well as one, with the same bits', async (file, program) => {
    if (!isThere(program)) {
      console.log(`skipped: there is no ${program} on this machine`)
      return
    }
    const command = [program, fileURLToPath(new URL(`../../examples/exec/${file}`, import.meta.url))]
    const plain = await minimize(rosenbrock, start, { ...options, maxIterations: 20 })
    for (const [mode, maxIterations] of [
      ['persistent', 20],
      ['one-shot', 2],
    ] as const) {
      const objective = execObjective({ dim: 3, command, mode, processes: 2 })
      const run = await minimize(objective, start, { ...options, maxIterations })
      await objective.close?.()
      expect(run.history).toEqual(plain.history.slice(0, maxIterations))
    }
  })

  test.each(clients)('%s answers what it cannot read with an error and goes on', (file, program) => {
    if (!isThere(program)) {
      console.log(`skipped: there is no ${program} on this machine`)
      return
    }
    const client = fileURLToPath(new URL(`../../examples/exec/${file}`, import.meta.url))
    const input = '{"id":1,"x":[]}\n{"id":2,"x":[1.0,1.0]}\n'
    const [first, second] = execFileSync(program, [client], { input, encoding: 'utf8' }).trim().split('\n')
    expect(JSON.parse(`${first}`)).toMatchObject({ id: 1, error: expect.stringContaining('at least 2') })
    expect(JSON.parse(`${second}`)).toEqual({ id: 2, value: 0 })
  })
})

test('the example of docs/programs.md runs as it stands', async () => {
  if (!isThere('python3')) {
    console.log('skipped: there is no python3 on this machine')
    return
  }
  const page = readFileSync(new URL('../../docs/programs.md', import.meta.url), 'utf8')
  const block = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] as string
  const file = join(folder, 'page.py')
  writeFileSync(file, block('python'))
  const script = block('js').replace("'objective.py'", JSON.stringify(file))
  expect(await ended(`${script}; process.exitCode = result.value < 3 ? 7 : 1`)).toBe(7)
})

/** Rosenbrock's valley, by sums and products in the order of the clients. */
function rosenbrock(x: ArrayLike<number>): number {
  let total = 0
  for (let i = 0; i + 1 < x.length; i++) {
    const rise = (x[i + 1] as number) - (x[i] as number) * (x[i] as number)
    const rest = 1 - (x[i] as number)
    total += 100 * rise * rise + rest * rest
  }
  return total
}

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['-c', 'exit'], { stdio: 'ignore' })
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

/** Runs a program until it ends, and returns its exit code or the signal that ended it. */
function ended(script: string): Promise<number | string | null> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore', timeout: 500_000 })
  return new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)))
}

/** The commands of a group's living members. */
function living(group: number): string[] {
  return execFileSync('ps', ['-A', '-o', 'pgid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([pgid, state]) => Number(pgid) === group && !`${state}`.startsWith('Z'))
    .map((fields) => fields.slice(2).join(' '))
}
