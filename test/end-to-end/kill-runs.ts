import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { randomNumbers } from '../run-store/damage.ts'

const program = fileURLToPath(new URL('./stored-run.mjs', import.meta.url))

/** Queries of an iteration of the program: as many may have been under way when it was killed. */
export const rows = 5

/** What a run that was killed again and again came to. */
interface KilledRun {
  readonly kills: number
  readonly hash: string
  readonly queries: number
  /** Queries that the objective was asked, over all processes. */
  readonly asked: number
}

/** The program at work. */
interface Started {
  readonly child: ChildProcess
  readonly output: () => string
  /** Its exit code; null where it was killed. */
  readonly ended: Promise<number | null>
}

/** Starts the program with its output collected. */
export function startProgram(folder: string, kind: string, countFile = ''): Started {
  const child = spawn(process.execPath, [program, folder, kind, countFile], { stdio: ['pipe', 'pipe', 'inherit'] })
  let text = ''
  child.stdout?.on('data', (data) => {
    text += data
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)))
  return { child, output: () => text, ended }
}

/** Kills as many runs as it takes for so many kills; each that ends is held against one that was left alone. */
export async function killRuns(
  kind: string,
  kills: number,
): Promise<{ kills: number; hashes: string[]; repeated: number }> {
  const runs = [await killedRun(kind, 0, 0)]
  const done = () => runs.reduce((sum, run) => sum + run.kills, 0)
  while (done() < kills) runs.push(await killedRun(kind, kills - done(), runs.length))
  return {
    kills: done(),
    hashes: [...new Set(runs.map(({ hash, queries }) => `${hash} after ${queries} queries`))],
    repeated: runs.reduce((sum, run) => sum + run.asked - run.queries, 0),
  }
}

/** Runs the program and kills it at random moments, so many times at most; then lets it end. */
async function killedRun(kind: string, kills: number, seed: number): Promise<KilledRun> {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-killed-'))
  const countFile = join(folder, 'count')
  const random = randomNumbers(seed)
  try {
    for (let killed = 0; ; killed++) {
      const { child, output, ended } = startProgram(join(folder, 'run'), kind, countFile)
      if (killed < kills) await killAtRandom(child, countFile, random, kills)
      const code = await ended
      if (code === null) continue
      if (code !== 0) throw new Error(`the run ended with code ${code}: ${output()}`)
      return { kills: killed, ...(JSON.parse(output()) as { hash: string; queries: number }), asked: sizeOf(countFile) }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Kills a process after so many more queries, or, now and then, anywhere in its first half second. */
async function killAtRandom(
  child: ChildProcess,
  countFile: string,
  random: () => number,
  kills: number,
): Promise<void> {
  const early = random() < 0.2
  const target = sizeOf(countFile) + Math.floor((random() * 2 * 4000) / kills)
  if (early) await sleep(random() * 500)
  else while (child.exitCode === null && sizeOf(countFile) < target) await sleep(1)
  child.kill('SIGKILL')
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0
}

/** Waits until a condition holds; it is named where it never does, before the time of the test is over. */
export async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + 500_000
  while (!condition()) {
    if (performance.now() > end) throw new Error(`waited in vain: ${condition}`)
    await sleep(5)
  }
}
