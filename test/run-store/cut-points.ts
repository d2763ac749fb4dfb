import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { essence, filesIn } from '../end-to-end/attack-results.ts'
import { servedNetwork } from '../networks/network-server.ts'
import { startOpenInferenceServer } from '../servers/open-inference-server.ts'
import { perform } from './recorded-jobs.mjs'
import { digestOf, diskAfter, endings, recordChanges, restore } from './system-calls.ts'

/** The program that takes a job to its end. */
export const program = fileURLToPath(new URL('recorded-jobs.mjs', import.meta.url))

/** The digits network behind a server that can be made slow. */
export async function slowDigits() {
  const digits = await servedNetwork(readFileSync(new URL('../../assets/digits/model.onnx', import.meta.url)))
  let pause = 0
  const infer: typeof digits.infer = async (...given) => {
    await sleep(pause)
    return digits.infer(...given)
  }
  const server = await startOpenInferenceServer({ digits: { ...digits, infer } })
  return {
    url: `${server.url}/v2/models/digits`,
    pause(milliseconds: number) {
      pause = milliseconds
    },
    close: () => server.close().then(() => digits.release()),
  }
}

/** Where a job is recorded, how slowly, and by what endings. */
interface Cutting {
  readonly folder: string
  readonly kind: string
  /** Milliseconds that an answer takes while the job is recorded: a second is long enough for checkpoints. */
  readonly pause: number
  readonly names: readonly string[]
  readonly model?: Awaited<ReturnType<typeof slowDigits>>
}

/** What came of a job that was cut behind each of its calls. */
interface Cuts {
  readonly calls: number
  /** States of the disk that differ. */
  readonly states: number
  /** What ended otherwise than the job that was left alone, or not at all. */
  readonly failures: readonly string[]
}

/**
 * Records the system calls of a job; then, for each call and each way in which its process or its machine may stop behind it,
 * puts on the disk what is left, goes on with the job there, and compares the end.
 */
export async function cutEverywhere({ folder, kind, pause, names, model }: Cutting): Promise<Cuts> {
  const base = mkdtempSync(join(folder, 'job-'))
  const job = join(base, 'job')
  const url = model?.url ?? ''
  model?.pause(pause)
  const recording = await recordChanges([program, kind, job, url], base, { PAUSE: String(pause) })
  model?.pause(0)
  const whole = outcome(job)
  const seen = new Set<string>()
  const failures: string[] = []
  for (let cut = 0; cut <= recording.changes.length; cut++) {
    for (const name of names) {
      const ending = endings[name]
      if (ending === undefined) throw new Error(`there is no ending called ${name}`)
      const disk = diskAfter(recording, cut, ending)
      const digest = digestOf(disk)
      if (seen.has(digest)) continue
      seen.add(digest)
      restore(disk, base)
      const end = await perform(kind, job, url).then(
        () => outcome(job),
        (error: unknown) => ({ error: String(error) }),
      )
      const other = differing(end, whole)
      if (other.length > 0) failures.push(`call ${cut}, ${name}: ${other.join('; ')}`)
    }
  }
  return { calls: recording.changes.length, states: seen.size, failures }
}

/** All that a job has found, without times. */
export function outcome(job: string): Record<string, unknown> {
  const files = filesIn(job)
  const results = files.filter((file) => file.endsWith('result.json'))
  const traces = files.filter((file) => file.endsWith('trace.jsonl'))
  return {
    ...essence(job),
    ...Object.fromEntries(results.map((file) => [`${file}, read`, timeless(readFileSync(join(job, file), 'utf8'))])),
    ...Object.fromEntries(
      traces.map((file) => [file, readFileSync(join(job, file), 'utf8').trim().split('\n').map(timeless)]),
    ),
  }
}

function timeless(text: string): unknown {
  const isTime = (key: string): boolean => ['created', 'seconds', 'sha256'].includes(key)
  return JSON.parse(text, (key, value: unknown) => (isTime(key) ? undefined : value))
}

/** What differs between two outcomes. */
export function differing(found: Record<string, unknown>, whole: Record<string, unknown>): string[] {
  const names = [...new Set([...Object.keys(found), ...Object.keys(whole)])]
  return names
    .filter((name) => !isDeepStrictEqual(found[name], whole[name]))
    .map((name) => `${name}: ${JSON.stringify(found[name])?.slice(0, 200)}`)
}
