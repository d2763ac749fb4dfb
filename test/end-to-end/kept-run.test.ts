import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import type { MinimizeOptions, Result } from '../../src/index.ts'
import { onlyObject, zeroth } from './zeroth.ts'

// The built package, with the types of its source: type checks must not need a build.
const built = (entry: string) => import(new URL(`../../dist/${entry}`, import.meta.url).href)
const { maximize, minimize, minimizeSync, zoAdaMM }: typeof import('../../src/index.ts') = await built('index.js')
const { readRun }: typeof import('../../src/app/store/index.ts') = await built('app/store/index.js')

const cwd = mkdtempSync(join(tmpdir(), 'zeroth-kept-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

let asked = 0
const valley = (x: Float64Array): number => {
  asked++
  return ((x[0] as number) - 1) ** 2 + 100 * ((x[1] as number) - (x[0] as number) ** 2) ** 2
}
const options = { seed: 3, maxQueries: 300, solver: zoAdaMM() } satisfies MinimizeOptions
const parts = ({ value, point, queries, iterations, stopReason, last }: Result) => ({
  ...{ value, queries, iterations, stopReason },
  points: [[...point], [...last.point]],
})

/** Asks as often as told, then ends. */
async function upTo(queries: number, out: string, more: MinimizeOptions = {}): Promise<Result> {
  const stop = new AbortController()
  const onIteration = (record: { queries: number }) => void (record.queries >= queries && stop.abort())
  return minimize(valley, [-1, 1], { ...options, ...more, out, signal: stop.signal, onIteration })
}

test('a function is minimised in a folder to the same bits, and the folder has everything of a run', async () => {
  const plain = await minimize(valley, [-1, 1], options)
  const out = join(cwd, 'whole')
  const kept = await minimize(valley, [-1, 1], { ...options, out })
  expect(parts(kept)).toEqual(parts(plain))
  expect(kept.history).toEqual(plain.history)
  expect(readdirSync(out)).toEqual(expect.arrayContaining(['journal', 'meta.json', 'report.html', 'result.json']))
  expect(readFileSync(join(out, 'report.html'), 'utf8')).toMatch(/zo-adamm \w+ valley/)
  expect((await readRun(out)).result).toMatchObject({ value: plain.value, queries: plain.queries })
  const shown = onlyObject(await zeroth(['show', 'whole', '--json'], { cwd }))
  expect(shown).toMatchObject({ status: 'finished', result: { value: plain.value } })
  const listed = await zeroth(['compare', 'whole'], { cwd })
  expect(listed.code).toBe(0)
})

test('the same call continues what was interrupted, and asks nothing of what has finished', async () => {
  const out = join(cwd, 'interrupted')
  const whole = await minimize(valley, [-1, 1], options)
  const cut = await upTo(100, out)
  expect(cut.status).toBe('aborted')
  expect(existsSync(join(out, 'report.html'))).toBe(false)
  const before = asked
  const rest = await minimize(valley, [-1, 1], { ...options, out })
  expect(parts(rest)).toEqual(parts(whole))
  expect(asked - before).toBe(whole.queries - cut.queries)
  const again = await minimize(valley, [-1, 1], { ...options, out })
  expect(parts(again)).toEqual(parts(whole))
  expect(again.history.at(-1)).toEqual(whole.history.at(-1))
  expect(asked - before).toBe(whole.queries - cut.queries)
})

test.each([
  ['a finished run', Infinity],
  ['an interrupted run', 100],
])('a larger budget extends %s', async (_, until) => {
  const out = join(cwd, `extended-${until}`)
  await upTo(until, out)
  const { queries, stopReason } = await minimize(valley, [-1, 1], { ...options, maxQueries: 500, out })
  expect(stopReason).toBe('max-queries')
  expect(queries).toBeGreaterThan(480)
})

test('a process that was killed is continued by the same program', async () => {
  const entry = JSON.stringify(fileURLToPath(new URL('../../dist/index.js', import.meta.url)))
  writeFileSync(
    join(cwd, 'program.mjs'),
    `import { minimize, zoAdaMM } from ${entry}
     let queries = 0
     const loss = (x) => {
       if (++queries > Number(process.argv[2])) process.kill(process.pid, 'SIGKILL')
       return x[0] * x[0] + x[1] * x[1]
     }
     const { value } = await minimize(loss, [3, 4], { out: process.argv[3], maxQueries: 300, solver: zoAdaMM() })
     console.log(queries, value)`,
  )
  const program = (...args: string[]) => promisify(execFile)(process.execPath, ['program.mjs', ...args], { cwd })
  const whole = await program('9999', 'not-killed')
  await expect(program('150', 'killed')).rejects.toMatchObject({ signal: 'SIGKILL' })
  const [queries, value] = (await program('9999', 'killed')).stdout.trim().split(' ')
  expect(value).toBe(whole.stdout.trim().split(' ')[1])
  expect(Number(queries)).toBeLessThan(300 - 130)
})

describe('variables with names', () => {
  const variables = { rate: { from: 1e-5, to: 0.1, scale: 'log' }, mode: { choices: ['fast', 'best'] } } as const
  const loss = ({ rate, mode }: { rate: number; mode: 'fast' | 'best' }) =>
    (Math.log10(rate) + 2.5) ** 2 + (mode === 'best' ? 0 : 1)

  test('keep their names in the folder, and all points that were tried', async () => {
    const out = join(cwd, 'named')
    const result = await minimize(loss, { variables, maxQueries: 60, out })
    expect(result.variables.mode).toBe('best')
    expect((await readRun(out)).result?.variables).toEqual(result.variables)
    const again = await minimize(loss, { variables, maxQueries: 60, out })
    expect(again.variables).toEqual(result.variables)
    expect((await zeroth(['show', 'named'], { cwd })).stdout).toMatch(/point +rate +0\.003/)
  })
})

test('the page on minimize says how, and what it prints', async () => {
  const page = readFileSync(new URL('../../docs/minimize.md', import.meta.url), 'utf8')
  const [, code = '', prints] = /```js\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/.exec(page) ?? []
  const entry = new URL('../../dist/index.js', import.meta.url).href
  writeFileSync(join(cwd, 'page.mjs'), code.replace("'zeroth'", JSON.stringify(entry)))
  expect((await promisify(execFile)(process.execPath, ['page.mjs'], { cwd })).stdout).toBe(prints)
  expect(existsSync(join(cwd, 'zeroth-runs/loss/report.html'))).toBe(true)
})

describe('what does not fit is refused', () => {
  test('another run in the folder, by what differs', async () => {
    const out = join(cwd, 'taken')
    await upTo(50, out)
    await expect(minimize(valley, [-1, 2], { ...options, out })).rejects.toThrow('its start is [-1,1], not [-1,2]')
    await expect(minimize(valley, [-1, 1], { ...options, seed: 4, out })).rejects.toThrow('its seed is 3, not 4')
    await expect(minimize(valley, [-1, 1], { ...options, solver: zoAdaMM({ directions: 2 }), out })).rejects.toThrow(
      'its solver is',
    )
  })

  test('zeroth resume, which does not have the function', async () => {
    await upTo(50, join(cwd, 'function'))
    const { code, stderr } = await zeroth(['resume', 'function', '--max-queries', '400'], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain('minimises the function valley of a program: run that program again, and it continues')
  })

  test('maximize and minimizeSync', async () => {
    const out = join(cwd, 'refused')
    await expect(maximize(valley, [-1, 1], { out })).rejects.toThrow('maximize.out is not supported')
    expect(() => minimizeSync(valley, [-1, 1], { out })).toThrow('minimizeSync.out does nothing')
    expect(existsSync(out)).toBe(false)
  })
})

test('a function that fails at once leaves no folder; one that fails later can be continued once it is mended', async () => {
  const out = join(cwd, 'failing')
  const failing = (at: number) => {
    let calls = 0
    return (x: Float64Array) => {
      if (++calls > at) throw new TypeError('boom')
      return valley(x)
    }
  }
  const run = (f: (x: Float64Array) => number) => minimize(f, [-1, 1], { ...options, failures: 'stop', out })
  await expect(run(failing(0))).rejects.toThrow('boom')
  expect(existsSync(out)).toBe(false)
  const failed = await run(failing(70)).catch((error: unknown) => error)
  expect(failed).toMatchObject({ outcome: { status: 'failed' } })
  const mended = await run(valley)
  expect(mended).toMatchObject({ status: 'finished', stopReason: 'max-queries' })
  expect(mended.value).toBeLessThan((failed as { outcome: Result }).outcome.value)
  expect(mended.warnings).toContain('the function has changed since the run began: its answers may not fit together')
})
