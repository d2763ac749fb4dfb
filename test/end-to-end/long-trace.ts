import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRun } from '../../src/app/store/open-run.ts'
import { type Ended, zeroth } from './zeroth.ts'

/** What a call printed, how long it took, and the most memory it had, in megabytes. */
export interface Measured extends Ended {
  readonly seconds: number
  readonly peak: number
}

/** A folder with a run whose trace has so many bytes, and the program in it. */
export interface LongTrace {
  readonly cwd: string
  /** The folder of the run. */
  readonly run: string
  readonly iterations: number
  /** Calls `zeroth`, with at most so many megabytes for its objects. */
  call(args: readonly string[], heap: number): Promise<Measured>
  remove(): void
}

const preload = `import { writeFileSync } from 'node:fs'
process.on('exit', () => writeFileSync(process.env.PEAK_FILE, String(process.resourceUsage().maxRSS)))\n`

/** Makes a run called `long` that was interrupted after a trace of so many bytes. */
export async function longTrace(bytes: number): Promise<LongTrace> {
  const cwd = mkdtempSync(join(tmpdir(), 'zeroth-long-trace-'))
  const run = join(cwd, 'zeroth-runs', 'long')
  mkdirSync(run, { recursive: true })
  const spec = { seed: 1, maxQueries: 1e9 }
  await (await createRun(run, { id: 'long', created: '2026-01-01T00:00:00Z', zeroth: '0.1.0', spec })).close()
  const iterations = writeTrace(join(run, 'trace.jsonl'), bytes)
  writeFileSync(join(cwd, 'preload.mjs'), preload)
  const peakFile = join(cwd, 'peak')
  return {
    cwd,
    run,
    iterations,
    async call(args, heap) {
      const options = `--max-old-space-size=${heap} --import=${pathToFileURL(join(cwd, 'preload.mjs'))}`
      const began = performance.now()
      const ended = await zeroth(args, { cwd, env: { NODE_OPTIONS: options, PEAK_FILE: peakFile } })
      const seconds = (performance.now() - began) / 1000
      return { ...ended, seconds, peak: Number(readFileSync(peakFile, 'utf8')) / 1024 }
    },
    remove: () => rmSync(cwd, { recursive: true, force: true }),
  }
}

/** Values that go up and down while they sink; returns how many iterations there are. */
function writeTrace(path: string, bytes: number): number {
  const file = openSync(path, 'w')
  let [written, iteration, best] = [0, 0, Infinity]
  while (written < bytes) {
    let text = ''
    while (text.length < 1 << 20) {
      const value = 100 / Math.sqrt(++iteration) + Math.abs(Math.sin(iteration))
      best = Math.min(best, value)
      const found = `"value":${value},"best":${best},"seconds":${Math.round(iteration * 137.123) / 1e6}`
      text += `{"iteration":${iteration},"queries":${8 * iteration},${found}}\n`
    }
    written += writeSync(file, text)
  }
  closeSync(file)
  return iteration
}
