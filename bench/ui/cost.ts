import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { heard, startZeroth } from './started.ts'

const clients = 100

/** An objective that computes: what takes its time away shows. */
const objective = `export default ([x]) => {
  let sum = 0
  for (let i = 0; i < 40000; i++) sum += Math.sqrt(i + x * x)
  return x * x + 1e-300 * sum
}
`

/** How much longer a run takes than one without a page, as a share. */
export interface Cost {
  readonly rounds: number
  /** With a page without clients, and with 100 of them. */
  readonly alone: number
  readonly clients: number
  /** How much runs without a page differ among themselves: half of the distance between their quartiles. */
  readonly spread: number
}

/** The same by the clock, which shows what else the machine does, and by the processor time of the thread of the run. */
export interface Costs {
  readonly clock: Cost
  readonly thread: Cost
}

/** Runs of the same length without a page, with one, and with one that 100 clients listen to, in turns. */
export async function measureCost(cwd: string, rounds: number): Promise<Costs> {
  writeFileSync(join(cwd, 'busy.mjs'), objective)
  const taken: Taken[][] = []
  for (let round = 0; round < rounds; round++) {
    taken.push([await timesOf(cwd, undefined), await timesOf(cwd, 0), await timesOf(cwd, clients)])
  }
  return { clock: costOf(taken, 'clock'), thread: costOf(taken, 'thread') }
}

function costOf(taken: readonly Taken[][], by: keyof Taken): Cost {
  const [bare, alone, listened] = [0, 1, 2].map((i) => taken.map((round) => round[i]?.[by] ?? Number.NaN))
  const more = (times: readonly number[] = []): number =>
    quantile(
      times.map((time, i) => time / (bare?.[i] ?? Number.NaN) - 1),
      0.5,
    )
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(bare ?? [], share)) as [number, number, number]
  return { rounds: taken.length, alone: more(alone), clients: more(listened), spread: (high - low) / 2 / middle }
}

/** Seconds that a run took. */
interface Taken {
  readonly clock: number
  readonly thread: number
}

async function timesOf(cwd: string, listening: number | undefined): Promise<Taken> {
  const page = listening === undefined ? [] : ['--ui', '--ui-port', '0']
  const limits = ['--max-queries', '150000', '--out', 'busy', '--no-progress']
  const run = startZeroth(
    ['minimize', '--module', 'busy.mjs', '--dim', '1', '--solver', 'zo-adamm', ...limits, ...page],
    cwd,
  )
  let thread = Number.NaN
  const timer = setInterval(() => {
    thread = threadSeconds(run.child.pid) ?? thread
  }, 20)
  try {
    if (listening !== undefined) {
      const url = await heard(run, /(http:\/\/127\.0\.0\.1:\d+\/)/)
      for (let i = 0; i < listening; i++)
        get(`${url}api/events`, (answer) => answer.resume()).on('error', () => undefined)
    }
    await run.ended
    const clock = JSON.parse(readFileSync(join(cwd, 'busy/result.json'), 'utf8')).seconds as number
    return { clock, thread }
  } finally {
    clearInterval(timer)
    run.child.kill('SIGKILL')
    rmSync(join(cwd, 'busy'), { recursive: true, force: true })
  }
}

/** Processor time of the first thread of a process, in which a run runs; only Linux tells it. */
function threadSeconds(pid: number | undefined): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return undefined
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
