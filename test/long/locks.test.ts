import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { until } from '../end-to-end/kill-runs.ts'
import { program } from '../end-to-end/zeroth.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-locks-'))
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const held = fileURLToPath(new URL('../end-to-end/stored-run.mjs', import.meta.url))
/** Processes of their own numbers and a host name of their own, as containers are. */
const contained = ['--pid', '--fork', '--kill-child', '--mount-proc', '--uts']

function isPermitted(): boolean {
  try {
    execFileSync('unshare', [...contained, 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A program in a container of its own, on a machine of this name. */
function start(host: string, args: readonly string[]) {
  const script = 'hostname "$0" && exec "$@"'
  const child = spawn('unshare', [...contained, 'sh', '-c', script, host, process.execPath, ...args])
  children.push(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { child, said: () => said, ended }
}

const problem = ['--function', 'rosenbrock', '--dim', '5', '--seed', '1', '--solver', 'zo-adamm']

function hashOf(run: string): string {
  return JSON.parse(readFileSync(join(run, 'result.json'), 'utf8')).hash
}

test.runIf(isPermitted())('20 times, of two processes in containers of one name never both have a run', async () => {
  const run = join(folder, 'run')
  execFileSync(process.execPath, [program, 'minimize', ...problem, '--max-queries', '50', '--out', run])
  const tries = Array.from({ length: 20 }, async () => {
    // Each pair has a run of its own.
    const own = mkdtempSync(join(folder, 'try-'))
    execFileSync('cp', ['-r', `${run}/.`, own])
    rmSync(join(own, 'result.json'))
    const pair = [start('localhost', [held, own, 'hold']), start('localhost', [held, own, 'hold'])] as const
    await until(() => pair.every(({ said }) => said().includes('ready')))
    for (const { child } of pair) child.stdin.write('go\n')
    await until(() => pair.every(({ said }) => /won|lost/.test(said())))
    const outcome = pair.map(({ said }) => /won|lost: .* is in use by process/.exec(said())?.[0].slice(0, 3)).sort()
    for (const { child } of pair) child.stdin.end()
    await Promise.all(pair.map(({ ended }) => ended))
    return outcome.join()
  })
  expect(await Promise.all(tries)).toEqual(Array(20).fill('los,won'))
})

test.runIf(isPermitted())(
  'a coordinator that is killed is continued by one of another name, to the same bits',
  async () => {
    const whole = join(folder, 'whole')
    const attack = ['attack', '--model', 'digits', '--count', '4', '--max-queries', '3000', '--seed', '3', '--quiet']
    execFileSync(process.execPath, [program, ...attack, '--out', whole])
    const out = join(folder, 'attack')
    const first = start('zeroth-attack-x7k2p', [program, ...attack, '--out', out, '--resume'])
    await until(() => existsSync(join(out, 'images')))
    first.child.kill('SIGKILL')
    await first.ended
    expect(existsSync(join(out, 'lock'))).toBe(true)
    const second = start('zeroth-attack-9qd4m', [program, ...attack.slice(0, -1), '--out', out, '--resume'])
    await second.ended
    expect(second.said()).toMatch(/waiting up to 20 seconds to see whether process \d+ on zeroth-attack-x7k2p is gone/)
    expect(second.said()).toContain('gave no sign of life')
    expect(readFileSync(join(out, 'summary.json'), 'utf8')).toBe(readFileSync(join(whole, 'summary.json'), 'utf8'))
  },
)

test.runIf(isPermitted())(
  'one that was paused for longer than the lease stops, and the run has the same bits',
  async () => {
    const slow = [...problem, '--max-queries', '400', '--module', join(folder, 'slow.mjs')].filter(
      (word) => !['--function', 'rosenbrock'].includes(word),
    )
    execFileSync('sh', ['-c', 'cat > "$0"', join(folder, 'slow.mjs')], {
      input:
        'export default async (x) => (await new Promise((next) => setTimeout(next, 5)), x.reduce((sum, each) => sum + each * each, 0))',
    })
    const whole = join(folder, 'unpaused')
    execFileSync(process.execPath, [program, 'minimize', ...slow, '--out', whole, '--quiet'])
    const out = join(folder, 'paused')
    const first = start('one', [program, 'minimize', ...slow, '--out', out])
    await until(() => existsSync(join(out, 'trace.jsonl')))
    const inside = Number(execFileSync('pgrep', ['-P', String(first.child.pid)], { encoding: 'utf8' }))
    process.kill(inside, 'SIGSTOP')
    const second = start('two', [program, 'resume', out])
    expect(await second.ended).toBe(0)
    process.kill(inside, 'SIGCONT')
    expect(await first.ended).not.toBe(0)
    expect(first.said()).toMatch(/lock was (taken by process|deleted)/)
    expect(hashOf(out)).toBe(hashOf(whole))
  },
)
