import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { randomNumbers } from '../run-store/damage.ts'
import { onlyObject, type Started, start } from './zeroth.ts'

/** A problem that is asked in one of the ways there are. */
export interface Subject {
  readonly folder: string
  readonly spec: object
  /** Queries that the objective was asked since the last reset, over all processes. */
  asked(run: string): number
  /** The same in other units, where that is quicker to find out. */
  progress(run: string): number
  /** Counts from 0 again, for another run. */
  reset(): void
}

/** What a run that was killed again and again came to. */
interface KilledRun {
  readonly kills: number
  readonly hash: string
  readonly queries: number
  readonly asked: number
  readonly progress: number
}

/** How often and when a run is killed. */
interface Killing {
  readonly kills: number
  readonly random: () => number
  /** Progress between two kills at most. */
  readonly stride: number
}

/** Rows of an iteration: as many queries may be under way at once. */
const rows = 5

/** Queries of a whole run. */
export const maxQueries = 1000

/** Runs `zeroth minimize`, kills it at random moments, and goes on with `zeroth resume` until the run ends. */
async function killedRun(subject: Subject, name: string, killing?: Killing): Promise<KilledRun> {
  const { folder, spec } = subject
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'spec.json'), JSON.stringify(spec))
  subject.reset()
  const run = join(folder, name)
  for (let killed = 0; ; killed++) {
    const isThere = existsSync(join(run, 'meta.json'))
    const args = isThere ? ['resume', run, '--json'] : ['minimize', 'spec.json', '--out', run, '--json']
    const started = start(args, { cwd: folder })
    if (killing !== undefined && killed < killing.kills)
      await killAtRandom(started, () => subject.progress(run), killing)
    const ended = await started.ended
    if (ended.code === null) continue
    if (ended.code !== 0) throw new Error(`exit code ${ended.code}: ${ended.stdout}${ended.stderr}`)
    const { hash, queries } = onlyObject(ended) as unknown as { hash: string; queries: number }
    return { kills: killed, hash, queries, asked: subject.asked(run), progress: subject.progress(run) }
  }
}

/** Runs as many as it takes to kill one so often, up to thirteen times each; `whole` is one that was not killed. */
async function killPoints(
  subject: Subject,
  whole: KilledRun,
  wanted: number,
  seed: number,
): Promise<readonly KilledRun[]> {
  const random = randomNumbers(seed)
  const runs: KilledRun[] = []
  for (let made = 0; made < wanted; made = runs.reduce((sum, { kills }) => sum + kills, 0)) {
    const kills = Math.min(13, wanted - made)
    runs.push(await killedRun(subject, `run-${runs.length}`, { kills, random, stride: (1.5 * whole.progress) / kills }))
  }
  return runs
}

/** Kills runs so often; each must end like one that was left alone, and ask again at most what was under way. */
export async function expectSameEnd(subject: Subject, wanted: number, seed: number): Promise<number> {
  const whole = await killedRun(subject, 'whole')
  expect(whole.asked).toBe(whole.queries)
  const runs = await killPoints(subject, whole, wanted, seed)
  for (const { kills, hash, queries, asked } of runs) {
    expect({ hash, queries }).toEqual({ hash: whole.hash, queries: whole.queries })
    expect(asked - queries).toBeLessThanOrEqual(kills * rows)
  }
  return runs.reduce((sum, { kills }) => sum + kills, 0)
}

/** Kills a process somewhere in its next stride, or, now and then, anywhere in its first half second. */
async function killAtRandom({ child }: Started, progress: () => number, { random, stride }: Killing): Promise<void> {
  const isEarly = random() < 0.2
  const target = progress() + random() * stride
  if (isEarly) await sleep(random() * 500)
  else while (child.exitCode === null && progress() < target) await sleep(1)
  child.kill('SIGKILL')
}

/** How many marks a file has. */
export function marksIn(file: string): number {
  return existsSync(file) ? statSync(file).size : 0
}

/** How many lines a file has. */
export function linesIn(file: string): number {
  return existsSync(file) ? readFileSync(file, 'latin1').split('\n').length - 1 : 0
}
