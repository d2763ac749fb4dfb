import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { makeAnswers } from '../../optimizer/core/answers.ts'
import type { Answers, Queries } from '../../optimizer/core/types.ts'
import type { Variables } from '../../optimizer/core/variable-types.ts'
import { commandObjective } from './command.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-command-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const threads = { threads: { from: 1, to: 16, step: 1 } }
const node = (code: string, ...args: string[]): string[] => [process.execPath, '-e', code, '--', ...args]

type Options = Omit<Parameters<typeof commandObjective>[0], 'dim' | 'command' | 'variables'>

/** The answers at some points, one row each. */
async function asked(
  command: string[],
  points: readonly (readonly number[])[],
  options: Options = {},
  variables: Variables = threads,
): Promise<Answers> {
  const dim = Object.keys(variables).length
  const objective = commandObjective({ dim, variables, command, ...options })
  const queries: Queries = {
    key: { seed: 0, iteration: 1 },
    rows: points.length,
    dim,
    centers: 0,
    sample: () => 0,
    write: (row, into, offset = 0) => into.set(points[row] as number[], offset),
  }
  const answers = makeAnswers(points.length, options.constraints?.length)
  try {
    await objective.evaluate(queries, answers)
  } finally {
    await objective.close()
  }
  return answers
}

const reasons = (answers: Answers): string[] => answers.reasons.map((each) => (each as Error)?.message ?? String(each))

test('each setting is a run of the program with its values as arguments', async () => {
  const double = node('console.log(process.argv[1], 2 * process.argv[1])', '{threads}')
  const { values, failed } = await asked(double, [[3], [16]], { measure: 'last-number' })
  expect([...values]).toEqual([6, 32])
  expect([...failed]).toEqual([0, 0])
})

test('no shell reads the arguments, and standard input is empty', async () => {
  const code = 'process.stdin.resume().on("end", () => console.log(process.argv[1].length, process.argv[2]))'
  const { values } = await asked(node(code, '$HOME; echo *', '{threads}'), [[5]], { measure: 'regex:^(\\d+) 5$' })
  expect(values[0]).toBe('$HOME; echo *'.length)
})

test('the time of a run is measured in seconds, and the median of several counts', async () => {
  const wait = node('setTimeout(() => 0, process.argv[1] * 10)', '{threads}')
  const { values, notes } = await asked(wait, [[16]], { repeats: 3, warmup: 1 })
  expect(values[0]).toBeGreaterThanOrEqual(0.16)
  const [measured, spread = -1, seconds = 0] = notes ?? []
  expect(measured).toBe(values[0])
  expect(spread).toBeGreaterThan(0)
  // Three runs that count and one before them.
  expect(seconds).toBeGreaterThanOrEqual(4 * 0.16)
})

test('warm-up, preparation and clean-up run as often as they should, and in their order', async () => {
  const log = join(folder, 'log')
  const note = (word: string): string[] =>
    node(
      `require('fs').appendFileSync(${JSON.stringify(log)}, '${word}' + process.argv[1] + ' '); console.log(1)`,
      '{threads}',
    )
  writeFileSync(log, '')
  await asked(note('run'), [[2]], {
    measure: 'last-number',
    repeats: 2,
    warmup: 1,
    prepare: note('prepare'),
    cleanup: note('clean'),
  })
  expect(readFileSync(log, 'utf8').trim()).toBe('prepare2 run2 prepare2 run2 prepare2 run2 clean2')
})

test('environment variables have placeholders, too', async () => {
  const code = 'console.log(process.env.THREADS)'
  const { values } = await asked(node(code), [[7]], { measure: 'last-number', env: { THREADS: '{threads}' } })
  expect(values[0]).toBe(7)
})

test('what is maximised is minimised times -1, and noted as it was measured', async () => {
  const { values, notes } = await asked(node('console.log(process.argv[1])', '{threads}'), [[7]], {
    measure: 'last-number',
    maximize: true,
  })
  expect([values[0], notes?.[0]]).toEqual([-7, 7])
})

test('a setting that breaks a limit fails, says by how much, and keeps what was measured', async () => {
  const code = 'console.log(JSON.stringify({ tps: process.argv[1] * 10, p99: process.argv[1] * 100 }))'
  const answers = await asked(node(code, '{threads}'), [[4], [6]], {
    measure: 'json:.tps',
    constraints: ['json:.p99 <= 500', 'json:.tps >= 10'],
  })
  expect([...answers.failed]).toEqual([0, 1])
  expect(reasons(answers)[1]).toBe('json:.p99 <= 500 does not hold: it is 600')
  expect([...(answers.constraints ?? [])]).toEqual([-100, -30, 100, -50])
  expect(answers.notes?.[5]).toBe(60)
})

describe('a setting has failed, and the next is measured, where the program', () => {
  test.each<[string, string, Options, RegExp]>([
    [
      'exits with another code than 0',
      'console.error("no such mode"); process.exit(3)',
      {},
      /exited with code 3; last line of stderr: no such mode$/,
    ],
    ['is ended by a signal', 'process.kill(process.pid, "SIGKILL")', {}, /was ended by SIGKILL$/],
    ['prints no number', 'console.log("ok")', {}, /printed no number: "ok"$/],
    ['prints too much', 'console.log("x".repeat(2000))', { maxOutputBytes: 1000 }, /wrote more than 1000 bytes$/],
  ])('%s', async (_, code, options, message) => {
    const both = `if (process.argv[1] === '1') { ${code} } else console.log(5)`
    const answers = await asked(node(both, '{threads}'), [[1], [2]], { measure: 'last-number', ...options })
    expect([...answers.failed]).toEqual([1, 0])
    expect(reasons(answers)[0]).toMatch(message)
    expect(answers.values[1]).toBe(5)
  })
})

test('a run that does not end in time is ended, and has failed', async () => {
  const answers = await asked(node('setInterval(() => 0, 1000)', '{threads}'), [[1]], { timeout: 50 })
  expect(answers.reasons[0]).toMatchObject({ timedOut: true })
  expect(reasons(answers)[0]).toMatch(/did not end within 50 ms$/)
})

test('the exit code may be what is measured: then none is a failure', async () => {
  const answers = await asked(node('process.exit(process.argv[1])', '{threads}'), [[9]], { measure: 'exit-code' })
  expect([answers.values[0], answers.failed[0]]).toEqual([9, 0])
})

test('a program that is not there is no failed setting unless the program is what is tuned', async () => {
  const missing = await asked(['no-such-program', '{threads}'], [[1]])
  expect(missing.reasons[0]).toMatchObject({ code: 'invalid-objective' })
  expect(reasons(missing)[0]).toContain('cannot be started: there is no such program (ENOENT)')
  const choices = { tool: { choices: ['no-such-program', process.execPath] } }
  const answers = await asked(['{tool}', '-e', 'console.log(4)'], [[0], [1]], { measure: 'last-number' }, choices)
  expect(answers.reasons[0]).toMatchObject({ code: 'query-failed' })
  expect([...answers.failed]).toEqual([1, 0])
  expect(answers.values[1]).toBe(4)
})

test('a secret of the environment reaches the program and no message', async () => {
  process.env.TUNE_TEST_SECRET = 'canary-4711'
  try {
    const code = 'console.error("token " + process.argv[2] + process.env.TOKEN); process.exit(1)'
    const command = node(code, '{threads}', `$${'{TUNE_TEST_SECRET}'}`)
    const answers = await asked(command, [[1]], { env: { TOKEN: { env: 'TUNE_TEST_SECRET' } } })
    expect(reasons(answers)[0]).toContain('last line of stderr: token')
    expect(reasons(answers)[0]).not.toContain('canary')
  } finally {
    delete process.env.TUNE_TEST_SECRET
  }
})

test('several settings are measured at once where that is wanted', async () => {
  const file = join(folder, 'meet')
  // Each run waits for the other: one after the other, they would never end.
  const code = `const fs = require('fs'); const [own, other] = process.argv[1] === '1' ? ['1', '2'] : ['2', '1']
    fs.writeFileSync(${JSON.stringify(file)} + own, '')
    const timer = setInterval(() => { if (fs.existsSync(${JSON.stringify(file)} + other)) { console.log(own); clearInterval(timer) } }, 5)`
  const { values } = await asked(node(code, '{threads}'), [[1], [2]], { measure: 'last-number', concurrency: 2 })
  expect([...values]).toEqual([1, 2])
})

test('a stopped run leaves no process behind', async () => {
  const file = join(folder, 'pid')
  const code = `require('fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => 0, 1000)`
  const objective = commandObjective({ dim: 1, variables: threads, command: node(code, '{threads}') })
  const stop = new AbortController()
  const answers = makeAnswers(1)
  const queries = {
    key: { seed: 0, iteration: 1 },
    rows: 1,
    dim: 1,
    centers: 0,
    sample: () => 0,
    write: () => undefined,
  }
  const work = objective.evaluate(queries, answers, stop.signal)
  while (!/\d/.test(read(file))) await new Promise((resolve) => setTimeout(resolve, 5))
  stop.abort(new Error('enough'))
  await work
  expect(reasons(answers)[0]).toContain('was stopped: enough')
  expect(() => process.kill(Number(read(file)), 0)).toThrow('ESRCH')
  await objective.close()
})

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
