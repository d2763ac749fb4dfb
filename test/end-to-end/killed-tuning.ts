import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readPoints } from '../../src/app/jobs/tuned.ts'
import { randomNumbers } from '../run-store/damage.ts'

const zeroth = fileURLToPath(new URL('../../dist/app/cli/main.js', import.meta.url))
const [queries, jobs] = [24, 4]

/** What became of a tuning that was killed again and again. */
export interface KilledTuning {
  readonly kills: number
  /** Settings that were measured although their values were in the journal. */
  readonly repeated: number
  /** Values that were in the journal at a kill and are not at their places in the end. */
  readonly lost: number
  readonly tried: number
  /** The hash of its points, that of a replay from the journal alone, and what the replay measured. */
  readonly hash: string
  readonly replayed: string
  readonly measuredAgain: number
}

/** Tunes a program with several settings under way, kills the tuning with SIGKILL so many times at most, and resumes it. */
export async function killedTuning(kills: number, seed: number): Promise<KilledTuning> {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-tuning-'))
  const [run, log, copy] = [join(folder, 'run'), join(folder, 'log'), join(folder, 'copy')]
  const random = randomNumbers(seed)
  writeFileSync(log, '')
  try {
    const script = `echo . >> ${log}; sleep 0.0$(($1 % 4)); echo $((($1 - 20) * ($1 - 20) + ($2 - 7) * ($2 - 7)))`
    const command = ['sh', '-c', script, 'sh', '{a:1..40:int}', '{b:1..40:int}']
    const options = ['--measure', 'last-number', '-j', String(jobs), '--max-queries', String(queries), '--compare', '0']
    const begin = ['tune', ...options, '--quiet', '--out', run, '--', ...command]
    const resume = (place: string): string[] => ['resume', place, '--quiet']
    const done = { kills: 0, repeated: 0, lost: 0 }
    let known: unknown[] = []
    for (;;) {
      const before = startsIn(log)
      const isFirst = !existsSync(join(run, 'meta.json'))
      const wanted = done.kills < kills ? before + 1 + Math.floor(random() * 6) : Infinity
      const wasKilled = await performed(isFirst ? begin : resume(run), log, wanted)
      const points = existsSync(join(run, 'meta.json')) ? await pointsOf(run) : []
      done.lost += known.filter((each, i) => JSON.stringify(each) !== JSON.stringify(points[i])).length
      const asked = startsIn(log) - before
      done.repeated += Math.max(0, asked - (points.length - known.length) - (wasKilled ? jobs : 0))
      known = points
      if (!wasKilled) break
      done.kills++
    }
    cpSync(run, copy, { recursive: true })
    for (const name of ['result.json', 'checkpoint-a', 'checkpoint-b', 'trace.jsonl'])
      rmSync(join(copy, name), { force: true })
    const before = startsIn(log)
    await performed(resume(copy), log, Infinity)
    const [hash, replayed] = [run, copy].map((each) => JSON.parse(readFileSync(join(each, 'result.json'), 'utf8')).hash)
    return { ...done, tried: known.length, hash, replayed, measuredAgain: startsIn(log) - before }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function startsIn(log: string): number {
  return readFileSync(log, 'utf8').length / 2
}

async function pointsOf(run: string): Promise<unknown[]> {
  const { points = [] } = (await readPoints(run)) ?? {}
  return points.map(({ values, value, status }) => [values, value, status])
}

/** Runs the command line until it ends, or kills it once so many measurements have begun; says whether it was killed. */
async function performed(words: readonly string[], log: string, wanted: number): Promise<boolean> {
  const child = spawn(process.execPath, [zeroth, ...words], { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (data) => {
    errors += data
  })
  const watcher = watch(log, () => {
    if (startsIn(log) >= wanted) child.kill('SIGKILL')
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  watcher.close()
  if (code !== null && code !== 0) throw new Error(`zeroth ${words[0]} ended with code ${code}: ${errors}`)
  return code === null
}
