import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { essence } from './attack-results.ts'
import { until } from './kill-runs.ts'

const cwd = mkdtempSync(join(tmpdir(), 'zeroth-examples-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const example = (name: string) => fileURLToPath(new URL(`../../examples/robustness/${name}`, import.meta.url))

function run(name: string, ...args: readonly string[]): string {
  return execFileSync(process.execPath, [example(name), ...args], { cwd, encoding: 'utf8', stdio: 'pipe' })
}

describe('an evaluation without the command line', () => {
  test('is twenty lines that the page on robustness shows', () => {
    const text = readFileSync(example('evaluate.mjs'), 'utf8')
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(20)
    expect(readFileSync(new URL('../../docs/robustness.md', import.meta.url), 'utf8')).toContain(text)
  })

  /** Ends the example by a signal once something has happened; returns what it printed. */
  const stopped = async (signal: 'SIGKILL' | 'SIGINT', isTime: (printed: string) => boolean): Promise<string> => {
    const child = spawn(process.execPath, [example('evaluate.mjs'), 'again', 'digits', '6'], { cwd })
    const ended = new Promise((resolve) => child.on('close', resolve))
    let printed = ''
    child.stdout.on('data', (text) => {
      printed += String(text)
    })
    await until(() => isTime(printed) || child.exitCode !== null)
    expect(child.kill(signal)).toBe(true)
    await ended
    return printed
  }

  test('continues where it was killed or interrupted, and ends as one that was not', async () => {
    const printed = run('evaluate.mjs', 'whole', 'digits', '6')
    expect(printed.match(/^\d+: (fooled|robust) after \d+ queries$/gm)).toHaveLength(6)
    expect(printed).toMatch(/^robust accuracy [\d.]+, see whole\/index\.html$/m)
    await stopped('SIGKILL', () => existsSync(join(cwd, 'again/images/0000/journal')))
    expect(existsSync(join(cwd, 'again/summary.json'))).toBe(false)
    const interrupted = await stopped('SIGINT', (text) => text.includes('after'))
    expect(interrupted).toContain('interrupted: run it again to continue')
    expect(run('evaluate.mjs', 'again', 'digits', '6')).toContain('see again/index.html')
    expect(essence(join(cwd, 'again'))).toEqual(essence(join(cwd, 'whole')))
    // Once it has finished, it asks nothing and says the same.
    expect(run('evaluate.mjs', 'again', 'digits', '6')).toMatch(/^robust accuracy [\d.]+, see again\/index\.html\n$/)
  })
})

describe('npm start', () => {
  const pairs = [
    ...['zo-scd', 'zo-sgd', 'zo-sign-sgd', 'zo-adamm', 'strongest'].map((method) => ['unconstrained', method]),
    ...['zo-nes', 'zo-psgd', 'zo-smd', 'zo-adamm', 'strongest'].map((method) => ['constrained', method]),
  ]
  const small = ['--count', '2', '--max-queries', '600']

  test('attacks the digits with all methods and ends with where its report is; again, it says the same', () => {
    const printed = run('compare.mjs', '--out', 'one', ...small)
    for (const [problem, method] of pairs) expect(printed).toMatch(new RegExp(`^${problem} +${method} `, 'm'))
    const page = /Report: (.*index\.html)\n$/.exec(printed)?.[1] as string
    const html = readFileSync(join(cwd, page), 'utf8')
    expect(html).toMatch(/^<!doctype html>/i)
    expect(html).toContain('data:image/png;base64,')
    expect(html).not.toMatch(/\bNaN\b/)
    expect(run('compare.mjs', '--out', 'one', ...small)).toBe(printed)
  })

  test('has the same numbers elsewhere, and others for another seed', () => {
    const numbers = (out: string) => pairs.map(([problem, method]) => essence(join(cwd, out, `${problem}-${method}`)))
    run('compare.mjs', '--out', 'two', ...small)
    run('compare.mjs', '--out', 'other', ...small, '--seed', '2')
    expect(numbers('two')).toEqual(numbers('one'))
    expect(numbers('other')).not.toEqual(numbers('one'))
  })

  test('takes an unknown flag, model or number for a mistake, says how it is used, and leaves nothing behind', () => {
    for (const flags of [['--nope'], ['--count', 'many'], ['--max-queries', '0'], ['--model', 'letters']]) {
      const { status, stderr } = spawnSync(process.execPath, [example('compare.mjs'), ...flags], {
        encoding: 'utf8',
        cwd,
      })
      expect(status).toBe(2)
      expect(stderr).toContain('npm start [-- --model digits')
    }
    expect(existsSync(join(cwd, 'zeroth-output'))).toBe(false)
  })
})
