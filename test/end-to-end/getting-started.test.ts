import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { program } from './zeroth.ts'

// A newcomer's first hour: every ```sh block of these pages is run, in its order, in an empty folder for each page. A ```text
// block behind it is what it must print, "..." standing for anything; a line "# press Ctrl-C" is done.

interface Block {
  readonly code: string
  readonly prints: string | undefined
}

function blocksOf(name: string): Block[] {
  const page = readFileSync(fileURLToPath(new URL(`../../docs/${name}.md`, import.meta.url)), 'utf8')
  return [...page.matchAll(/```sh\n([\s\S]*?)```(?:\s*```text\n([\s\S]*?)\n```)?/g)].map(
    (match): Block => ({ code: match[1] as string, prints: match[2] }),
  )
}

const folder = mkdtempSync(join(tmpdir(), 'zeroth-getting-started-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
mkdirSync(join(folder, 'bin'))
writeFileSync(join(folder, 'bin/zeroth'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`)
chmodSync(join(folder, 'bin/zeroth'), 0o755)

const pythonPackage = fileURLToPath(new URL('../../python', import.meta.url))
const hasPython = spawnSync('python3', ['--version']).status === 0

describe.each(['getting-started', 'recipes', 'python', 'tune'])('%s', (name) => {
  const home = join(folder, name)
  mkdirSync(home)
  test.for(blocksOf(name))('$code', async ({ code, prints }, { skip }) => {
    if (code.includes('python3') && !hasPython) return skip('there is no python3 on this machine')
    const isInterrupted = code.includes('# press Ctrl-C')
    const { exitCode, printed, said } = await run(code, home, isInterrupted)
    expect(exitCode, said).toBe(isInterrupted ? 130 : 0)
    if (isInterrupted) expect(said).toContain('interrupted and saved: continue with zeroth resume')
    if (prints !== undefined) expect(printed.trimEnd()).toMatch(patternOf(prints))
  })
})

test('the pages are there', () => {
  for (const page of ['zeroth-runs/rosenbrock-auto-0/report.html', 'comparison/report.html']) {
    expect(existsSync(join(folder, 'getting-started', page))).toBe(true)
  }
})

/** Runs a block in a shell; Ctrl-C goes to all that it has started, as on a terminal. */
async function run(code: string, home: string, isInterrupted: boolean) {
  const PATH = `${join(folder, 'bin')}:${process.env.PATH}`
  const env = { ...process.env, PATH, PYTHONPATH: pythonPackage, ZEROTH_COMMAND: 'zeroth serve' }
  const child = spawn('bash', ['-e', '-c', code], { cwd: home, env, detached: true })
  let [printed, said] = ['', '']
  child.stdout.on('data', (data) => {
    printed += data
  })
  child.stderr.on('data', (data) => {
    said += data
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  if (isInterrupted) {
    const journal = join(home, 'mine/journal')
    while (!existsSync(journal) || readFileSync(journal).length < 500) await sleep(20)
    process.kill(-(child.pid as number), 'SIGINT')
  }
  return { exitCode: await ended, printed, said }
}

/** A whole line "..." stands for any lines, "..." inside a line for anything in it. */
function patternOf(text: string): RegExp {
  const literal = (part: string): string => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const lines = text
    .split('\n')
    .map((line) => (line === '...' ? '[\\s\\S]*' : line.split('...').map(literal).join('.*')))
  return new RegExp(`^${lines.join('\\n')}$`)
}
