import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../../test/cli/call.ts'
import { cliFolder } from '../../../../test/cli/cli-folder.ts'
import { tuneSpec } from './tune.ts'

const path = cliFolder()
const home = process.cwd()
beforeAll(() => process.chdir(path()))
afterAll(() => process.chdir(home))

const flags = { compare: 5, maxQueries: 60 }

describe('a command line with placeholders is', () => {
  test('a program, and variables as the placeholders say', () => {
    const words = ['bench', '-t', '{threads:1..16:int}', '--fa={fa:0|1}', '-b{batch:32..2048:log2}', '{fast:--fast|}']
    expect(tuneSpec([...words, '{threads}', '{"json": 1}'], flags)).toEqual({
      objective: {
        name: 'command',
        command: ['bench', '-t', '{threads}', '--fa={fa}', '-b{batch}', '{fast}', '{threads}', '{"json": 1}'],
        cwd: process.cwd(),
        measure: 'time',
        repeats: 3,
      },
      variables: {
        threads: { from: 1, to: 16, step: 1 },
        fa: { choices: [0, 1] },
        batch: { from: 32, to: 2048, factor: 2 },
        fast: { choices: ['--fast', ''] },
      },
      maxQueries: 60,
      failures: 'skip',
      compare: 5,
    })
  })

  test('what is measured, and what is run around it', () => {
    const spec = tuneSpec(['THREADS={n}', 'EMPTY=', './solve', 'A=1'], {
      ...flags,
      compare: 0,
      variable: { n: { from: 1, to: 4, step: 1 } },
      measure: 'json:.tps',
      maximize: true,
      target: 100,
      patience: 9,
      constraint: ['json:.p99 <= 5'],
      default: { n: '2' },
      prepare: 'sh -c "sync; true" {n}',
      jobs: 2,
      timeout: 5000,
    })
    expect(spec).toMatchObject({
      objective: {
        command: ['./solve', 'A=1'],
        env: { THREADS: '{n}', EMPTY: '' },
        measure: 'json:.tps',
        maximize: true,
        constraints: ['json:.p99 <= 5'],
        repeats: 1,
        prepare: ['sh', '-c', 'sync; true', '{n}'],
      },
      start: { n: 2 },
      target: -100,
      patience: 9,
      jobs: 2,
      timeout: 5000,
    })
    expect(spec.compare).toBeUndefined()
  })

  test('with a condition, and defaults that are the values they read as', () => {
    const spec = tuneSpec(['p', '{deep:false|true}', '--level={level:1..9:int?deep=true}'], {
      ...flags,
      default: { deep: 'true', level: '3' },
    })
    expect(spec.variables).toEqual({
      deep: { choices: [false, true] },
      level: { from: 1, to: 9, step: 1, when: { deep: [true] } },
    })
    expect(spec.start).toEqual({ deep: true, level: 3 })
  })
})

test.each([
  [['echo', 'hi'], 'nothing to tune: there is no placeholder; put one into the command, such as {threads:1..16:int}'],
  [['echo', '{a:1-3}'], 'the placeholder {a:1-3}: It must be like width=0..4'],
  [['echo', '{a:1..3:int}', '{a:1..4:int}'], '{a:1..4:int}: what a may be is said twice; the second time write {a}'],
  [['echo', '{a:1..3:int}', '{b}'], 'command: the placeholder {b} is no variable'],
  [['--variable', 'c=1..3', 'echo', '{a:1..3:int}'], 'command: the variable c changes nothing'],
  [['--variable', 'a=1..3', 'echo', '{a:1..3:int}'], 'the variable a is both in {a:...} and in --variable'],
  [['--default', 'a=9', 'echo', '{a:1..3:int}'], '--default: spec.start: start.a must be a whole number from 1 to 3'],
  [['--default', 'b=1', 'echo', '{a:1..3:int}'], 'start.b is no variable; did you mean a?'],
  [['--measure', 'json:.a..b', 'echo', '{a:1..3:int}'], 'command.measure must be a path such as json:.results[0].tps'],
  [['--constraint', 'p99 < 5', 'echo', '{a:1..3:int}'], 'command.constraints.0 must be like json:.p99 <= 500'],
  [['--prepare', 'a "b', 'echo', '{a:1..3:int}'], '--prepare: the quote " is never closed'],
  [['A={a:1..3:int}'], 'there is no program to run: only environment variables'],
  [[], "missing required argument 'command'"],
])('zeroth tune %j is refused', async (args, message) => {
  const first = args.findIndex((each, i) => !each.startsWith('--') && !(args[i - 1] ?? '').startsWith('--'))
  const line = first < 0 ? args : [...args.slice(0, first), '--', ...args.slice(first)]
  const { code, stdout, stderr } = await call('tune', ...line)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(message)
  expect(existsSync('zeroth-runs')).toBe(false)
})

const program = `
  const n = Number(process.argv[1])
  if (n > 12) { console.error('too large'); process.exit(1) }
  console.log('score ' + (n - 8) * (n - 8))`

const solve = (...words: string[]): string[] => ['--', process.execPath, '-e', program, '--', ...words]

test('a tuning prints the command line to copy, the gain and its interval, and what it tried', async () => {
  const how = ['--measure', 'regex:score (.*)', '--default', 'n=2', '--max-queries', '25', '--out', 'solved']
  const { code, stdout, stderr } = await call('tune', ...how, ...solve('{n:1..16:int}'))
  expect(code).toBe(0)
  const [, best = ''] = /^best {8}(.*)\nvalue {7}0, from 36 with /.exec(stdout) ?? []
  // What is copied into a shell runs as it did.
  expect(execFileSync('bash', ['-c', best], { encoding: 'utf8' })).toBe('score 0\n')
  expect(stdout).toContain('\ngain        better by 36 (95 % interval 36 to 36, 5 further measurements of each)\n')
  expect(stdout).toContain('\nvariables   n  8  (from 2)\n')
  expect(stdout).toMatch(/\ntried {7}\d+ settings, of which \d+ failed, /)
  expect(stdout).toContain('exited with code 1; last line of stderr: too large')
  expect(stderr).toContain('comparing the best point with the start: 5 measurements of each, in turns')
  const shown = await call('show', 'solved')
  expect(shown.stdout).toContain('gain        better by 36')
  const again = await call('resume', 'solved', '--json')
  const found = JSON.parse(again.stdout)
  expect(found).toMatchObject({
    status: 'finished',
    best: { variables: { n: 8 }, value: 0 },
    start: { variables: { n: 2 }, value: 36 },
    gain: { kind: 'difference', value: 36, pairs: 5 },
  })
  // Only the 16 settings and one repeated measurement, to see whether answers vary.
  expect(found.queries).toBeLessThanOrEqual(17)
  expect(found.points).toHaveLength(found.queries)
})

test('where every setting fails, the reason is said, and nothing is lost', async () => {
  const { code, stdout, stderr } = await call('tune', '--max-queries', '4', ...solve('{n:13..16:int}'))
  expect(code).toBe(1)
  expect(stdout).toContain('4 settings, of which 4 failed')
  expect(stderr).toContain('zeroth: no setting has a value: all 4 queries failed, the first: command: ')
  expect(stderr).toContain('last line of stderr: too large')
  expect(existsSync('zeroth-runs/node-auto-0/journal')).toBe(true)
})

test('a program that is not there ends the tuning at once', async () => {
  const { code, stderr } = await call('tune', '--out', 'missing', '--', 'no-such-program', '{n:1..3:int}')
  expect(code).toBe(1)
  expect(stderr).toContain('command: no-such-program {n} cannot be started: there is no such program (ENOENT)')
})

test('times that are measured at once are warned of', async () => {
  const { stderr } = await call('tune', '-j', '2', '--max-queries', '1', ...solve('{n:1..3:int}'))
  expect(stderr).toContain('warning: settings that are measured at once slow each other down')
})

test('--dry-run runs nothing', async () => {
  const touch = `require('fs').writeFileSync('touched', '')`
  const { code, stdout } = await call('tune', '--dry-run', '--', process.execPath, '-e', touch, '--', '{n:1..3:int}')
  expect([code, existsSync('touched')]).toEqual([0, false])
  expect(stdout).toContain('n=2')
})

test('a spec file may tune a program, too', async () => {
  const command = JSON.stringify([process.execPath, '-e', program, '--', '{n}'])
  writeFileSync(
    'tune.yaml',
    `objective: { name: command, command: ${command}, measure: last-number }
variables: { n: { from: 1, to: 12, step: 1 } }
start: { n: 8 }
maxQueries: 3
`,
  )
  const { code, stdout } = await call('minimize', 'tune.yaml', '--out', 'by-spec')
  expect(code).toBe(0)
  expect(stdout).toContain('value       0, where it began: nothing was better')
  expect(readFileSync('by-spec/meta.json', 'utf8')).toContain('"command"')
})
