import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { onlyObject, program, start, zeroth } from './zeroth.ts'

// dist is built before these tests start: see scripts/build-if-stale.ts.

const cwd = mkdtempSync(join(tmpdir(), 'zeroth-command-line-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))
const call = (...args: string[]) => zeroth(args, { cwd })
const contract = 'minimize --function rosenbrock --dim 10 --solver zo-adamm --max-queries 5000 --seed 7 --json'.split(
  ' ',
)

describe('the machine contract', () => {
  test('minimize prints one JSON object, resume the same bytes', async () => {
    const first = await call(...contract)
    expect(first.code).toBe(0)
    const object = onlyObject(first)
    expect(object).toMatchObject({
      value: 9.584314030730074,
      queries: 4995,
      iterations: 454,
      stopReason: 'max-queries',
      run: join(cwd, 'zeroth-runs/rosenbrock-zo-adamm-7'),
    })
    const vectors = [...(object.last as { point: number[] }).point, ...(object.point as number[])]
    const bytes = Buffer.from(Float64Array.from(vectors).buffer)
    expect(object.hash).toBe(createHash('sha256').update(bytes).digest('hex'))
    for (const run of ['rosenbrock-zo-adamm-7', 'zeroth-runs/rosenbrock-zo-adamm-7', String(object.run)]) {
      const again = await call('resume', run, '--json')
      expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 0, stdout: first.stdout })
    }
  })

  test('the resolved spec of a run gives the same run', async () => {
    const { meta } = onlyObject(await call('show', 'rosenbrock-zo-adamm-7', '--json')) as unknown as {
      meta: { spec: object }
    }
    writeFileSync(join(cwd, 'resolved.json'), JSON.stringify(meta.spec))
    const [again, once] = [
      await call('minimize', 'resolved.json', '--json', '--out', 'again'),
      await call('resume', 'rosenbrock-zo-adamm-7', '--json'),
    ]
    expect(onlyObject(again).hash).toBe(onlyObject(once).hash)
  })

  test('a run that failed prints its object and exits with 1, and asks again when it is resumed', async () => {
    writeFileSync(
      join(cwd, 'moody.mjs'),
      `import { existsSync } from 'node:fs'
       let asked = 0
       export default (x) => {
         if (!existsSync('mended') && ++asked > 10) throw new Error('out of\\norder')
         return x[0] * x[0]
       }`,
    )
    const failed = await call(...'minimize --module moody.mjs --dim 2 --failures stop --out moody --json'.split(' '))
    expect(failed.code).toBe(1)
    expect(onlyObject(failed)).toMatchObject({ status: 'failed', stopReason: 'objective-failed' })
    expect(failed.stderr).toMatch(/^zeroth: a query failed [^\n]*out of order[^\n]*\n$/)
    writeFileSync(join(cwd, 'mended'), '')
    const mended = await call('resume', 'moody', '--max-queries', '100', '--json')
    expect(mended.code).toBe(0)
    expect(onlyObject(mended)).toMatchObject({ status: 'finished', stopReason: 'converged' })
  })

  test('what a module prints does not get into the object, from whatever thread', async () => {
    writeFileSync(
      join(cwd, 'chatty.mjs'),
      'console.log("loaded"); export default (x) => { console.log("hello"); return x[0] }',
    )
    for (const jobs of [[], ['-j', '1']]) {
      const ended = await call(
        'minimize',
        '--module',
        'chatty.mjs',
        '--dim',
        '1',
        '--max-queries',
        '12',
        '--json',
        ...jobs,
      )
      expect(onlyObject(ended)).toMatchObject({ queries: 12 })
      expect(ended.stderr).toContain('hello')
    }
  })

  test('a series, a search and the other commands print one object, too', async () => {
    const small = ['--function', 'quadratic', '--dim', '2', '--max-queries', '50', '--json']
    const objects = [
      ['minimize', ...small, '--repeat', '2', '--out', 'series'],
      ['minimize', '--tune-solver', ...small, '--solver', 'zo-adamm', '--seeds', '1', '--out', 'search'],
      ['resume', 'series', '--max-queries', '60', '--json'],
      ['resume', 'search', '--json'],
      ['list', '.', '--json'],
      ['show', 'series', '--json'],
      ['compare', 'series', 'search', '--json'],
      ['report', 'series', '--json'],
      ['validate', 'resolved.json', '--json'],
      ['minimize', ...small, '--dry-run'],
      ['doctor', '--json'],
    ]
    for (const args of objects) {
      const ended = await call(...args)
      expect(ended.code, args.join(' ')).toBe(0)
      onlyObject(ended)
    }
    expect(existsSync(join(cwd, 'series/report.html'))).toBe(true)
    const series = JSON.parse((await call('show', 'series', '--json')).stdout)
    expect(series.runs.map(({ queries }: { queries: number }) => queries > 50)).toEqual([true, true])
  })
})

// All kinds of mistakes: test/cli/mistakes.test.ts.
test.each([
  [['mimimize'], "unknown command 'mimimize' (Did you mean minimize?)"],
  [['minimize', '--function', 'rosenbrock', '--seed', '-1'], "'--seed <n>' argument '-1' is invalid"],
  [['resume', 'nothing'], 'there is no run nothing (looked for nothing and zeroth-runs/nothing)'],
])('zeroth %j is a mistake: one line on stderr, nothing on stdout, exit code 2', async (args, message) => {
  const { code, stdout, stderr } = await call(...args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^zeroth: [^\n]+\n$/)
  expect(stderr).toContain(message)
})

describe('output', () => {
  test('nothing but data is on stdout: the result of a run, and progress elsewhere', async () => {
    const { stdout, stderr } = await call('minimize', '--function', 'quadratic', '--dim', '2', '-q')
    expect(stdout).toMatch(/^value {7}\S+\npoint .*\nrun {9}zeroth-runs\/quadratic-auto-0\n$/s)
    expect(stderr).toBe('')
  })

  test('a reader that leaves early is no error', async () => {
    const { child, ended } = start(['schema'], { cwd })
    child.stdout?.once('data', () => child.stdout?.destroy())
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
  })

  test('long outputs arrive whole', async () => {
    const { stdout } = await call('schema')
    expect(stdout.length).toBeGreaterThan(70_000)
    expect(JSON.parse(stdout)).toHaveProperty('$schema')
  })

  test.runIf(existsSync('/dev/full'))('a full disk is told', async () => {
    const ended = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile('sh', ['-c', '"$0" "$1" schema > /dev/full', process.execPath, program], { cwd }, (error, _, stderr) =>
        resolve({ code: error?.code, stderr }),
      )
    })
    expect(ended).toEqual({ code: 1, stderr: 'zeroth: ENOSPC: no space left on device, write\n' })
  })

  test.each([
    ['help', ['--help'], /dist\/(?!app\/cli\/)/],
    ['a list', ['list'], /parts\.js|\/methods\/|app\/(spec\/compile|objectives|report\/(run|page)\/)/],
    [
      'an attack by its own methods',
      'attack --model digits --count 1 --max-queries 50'.split(' '),
      /methods\/(auto|bayesian|cma-es|trust)|app\/(objectives|report\/run\/)|queue-client|models\/http|jobs\/tun/,
    ],
  ])('%s loads no code that it does not need', (what, args, others) => {
    const coverage = join(cwd, `loaded by ${what}`)
    execFileSync(process.execPath, [program, ...args], {
      cwd,
      stdio: 'ignore',
      env: { ...process.env, NODE_V8_COVERAGE: coverage },
    })
    const [file = ''] = readdirSync(coverage)
    const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8')) as { result: { url: string }[] }
    const loaded = result.map(({ url }) => url).filter((url) => url.includes('/dist/') && !url.includes('node_modules'))
    expect(loaded.length).toBeGreaterThan(2)
    expect(loaded.filter((url) => others.test(url))).toEqual([])
  })
})

describe('files', () => {
  test('export writes what other programs read', async () => {
    const { code } = await call('export', 'again', '--out', 'point.npy')
    expect(code).toBe(0)
    const bytes = readFileSync(join(cwd, 'point.npy'))
    expect(bytes.length).toBe(128 + 80)
    const csv = await call('export', 'again')
    expect(csv.stdout.split('\n')[0]).toBe('iteration,queries,value,best,seconds')
    expect(csv.stdout.trimEnd().split('\n')).toHaveLength(455)
    expect((await call('export', 'again', '--out', 'history.parquet')).code).toBe(0)
    expect(readFileSync(join(cwd, 'history.parquet')).subarray(0, 4).toString()).toBe('PAR1')
  })

  test('init writes a spec that validates and runs, from answers in a pipe', async () => {
    const { code, stdout } = await zeroth(['init', 'mine.yaml'], { cwd, input: 'rosenbrock\n4\n-2,2\n60\n' })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'mine.yaml\n' })
    expect((await call('validate', 'mine.yaml')).stdout).toMatch(/^mine\.yaml is fine\./)
    expect(onlyObject(await call('minimize', 'mine.yaml', '--json'))).toMatchObject({ queries: 60 })
  })

  test('init --attack writes a spec and a workflow that needs no package.json', async () => {
    const own = mkdtempSync(join(cwd, 'attack-'))
    const { code, stdout } = await zeroth(['init', '--attack'], { cwd: own, input: 'digits\n\n0.2\n0\n' })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'robustness.yaml\n.github/workflows/robustness.yml\n' })
    const { jobs } = parse(readFileSync(join(own, '.github/workflows/robustness.yml'), 'utf8'))
    const steps = jobs.attack.steps as readonly { readonly run?: string }[]
    const runs = steps.flatMap(({ run }) => run ?? [])
    expect(runs[0]).toMatch(/^npm install --prefix \S+ --ignore-scripts zeroth@\d\S+ onnxruntime-node@\S+ sharp@\S+$/)
    const [program = '', ...args] = runs[1]?.trim().split(/\s+/) ?? []
    expect(program).toBe('"$RUNNER_TEMP/zeroth/node_modules/.bin/zeroth"')
    const ended = await zeroth([...args, '--count', '3', '--max-queries', '60'], { cwd: own })
    expect(ended.code).toBe(0)
    expect(readdirSync(own)).toEqual(expect.arrayContaining(['evaluation', 'robustness.sarif', 'robustness.xml']))
  })

  test('minimize with --resume begins, then goes on, then only reads', async () => {
    const again = () => call('minimize', 'mine.yaml', '--out', 'job', '--resume', '--json')
    const [first, second] = [await again(), await again()]
    expect(second.stdout).toBe(first.stdout)
    const more = await call('minimize', 'mine.yaml', '--out', 'job', '--resume', '--max-queries', '90', '--json')
    expect(onlyObject(more).queries).toBeGreaterThan(75)
  })
})

describe('a module', () => {
  test('in an endless loop can be interrupted', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'zeroth-endless-'))
    writeFileSync(
      join(cwd, 'endless.mjs'),
      `import { writeSync } from 'node:fs'
      export default () => { writeSync(2, 'asked\\n'); for (;;); }`,
    )
    const { child, stderr, ended } = start(['minimize', '--module', 'endless.mjs', '--dim', '2', '--json'], { cwd })
    while (!stderr().includes('asked')) await new Promise((resolve) => setTimeout(resolve, 20))
    child.kill('SIGINT')
    const { code, ...texts } = await ended
    rmSync(cwd, { recursive: true })
    expect(code).toBe(130)
    expect(onlyObject({ code, ...texts })).toMatchObject({ status: 'aborted', queries: 0 })
  })

  test('that ends the program does not pass for a success', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'zeroth-ended-'))
    writeFileSync(join(cwd, 'ended.mjs'), 'export default () => process.exit(0)')
    writeFileSync(join(cwd, 'ended.json'), '{ "dim": 2, "objective": { "name": "module", "module": "ended.mjs" } }')
    const ended = await zeroth(['minimize', 'ended.json', '--json'], { cwd })
    rmSync(cwd, { recursive: true })
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch('the program was ended from inside, by process.exit() of a module')
    expect(onlyObject(ended)).toMatchObject({ status: 'failed', code: 'ended' })
  })

  test('whose promise is never kept hangs, and can be interrupted and saved', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'zeroth-silent-'))
    writeFileSync(
      join(cwd, 'silent.mjs'),
      'export default () => { console.error("asked"); return new Promise(() => undefined) }',
    )
    const { child, stderr, ended } = start(['minimize', '--module', 'silent.mjs', '--dim', '2', '--json'], { cwd })
    while (!stderr().includes('asked')) await new Promise((resolve) => setTimeout(resolve, 20))
    child.kill('SIGINT')
    const { code, ...texts } = await ended
    rmSync(cwd, { recursive: true })
    expect(code).toBe(130)
    expect(onlyObject({ code, ...texts })).toMatchObject({ status: 'aborted', queries: 0 })
  })
})
