import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { differing, outcome, program, slowDigits } from '../run-store/cut-points.ts'
import { jobs, perform } from '../run-store/recorded-jobs.mjs'
import { canTrace, recordChanges } from '../run-store/system-calls.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-disk-'))
let model: Awaited<ReturnType<typeof slowDigits>>
beforeAll(async () => {
  model = await slowDigits()
})
afterAll(async () => {
  await model.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Calls that a disk may refuse, and which times, as far as there are so many. */
const failing = ['openat', 'write', 'fdatasync', 'fsync', 'rename', 'link', 'unlink', 'mkdir', 'ftruncate']
const times = [1, 2, 3, 5, 8, 13, 21, 34]
const errors = ['EIO', 'ENOSPC']

/** Lets one call on these paths fail in a process that performs a job; says how that ended. */
async function performFaultily(kind: string, job: string, paths: readonly string[], fault: string) {
  const log = `${job}.log`
  const [call] = fault.split(':')
  const own = ['-f', '-o', log, '-e', `trace=${call}`, '-e', `inject=${fault}`, '-e', 'signal=none']
  const on = paths.flatMap((path) => ['-P', path])
  const ended = await promisify(execFile)('strace', [...own, ...on, process.execPath, program, kind, job, model.url], {
    env: { ...process.env, UV_USE_IO_URING: '0' },
  }).then(
    () => ({ code: 0, stderr: '' }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  )
  const { stdout: injected } = await promisify(execFile)('grep', ['-c', 'INJECTED', log]).catch(() => ({ stdout: '0' }))
  return { ...ended, injected: Number(injected) }
}

test.runIf(canTrace()).each(Object.keys(jobs))(
  'a job whose disk fails says so, and ends with the same bits when it is continued: %s',
  async (kind) => {
    const base = mkdtempSync(join(folder, 'job-'))
    const job = join(base, 'job')
    const { changes } = await recordChanges([program, kind, job, model.url], base)
    const paths = [...new Set(changes.flatMap((change) => ('path' in change ? [change.path] : [])))]
    const whole = outcome(job)
    let faults = 0
    const failures: string[] = []
    for (const call of failing) {
      for (const [i, time] of times.entries()) {
        rmSync(base, { recursive: true })
        mkdirSync(base)
        const error = errors[i % 2] ?? ''
        const fault = `${call}:error=${error}:when=${time}`
        const { code, stderr, injected } = await performFaultily(kind, job, paths, fault)
        // There are no more of these calls.
        if (injected === 0) break
        faults++
        if (code !== 0 && !stderr.includes(error)) failures.push(`${fault} is not said: ${stderr.slice(0, 500)}`)
        const end = await perform(kind, job, model.url).then(
          () => outcome(job),
          (reason: unknown) => ({ error: String(reason) }),
        )
        const other = differing(end, whole)
        if (other.length > 0) failures.push(`${fault}: ${other.join('; ')}`)
      }
    }
    process.stdout.write(`${kind}: ${faults} faults of the disk, ${failures.length} failures\n`)
    expect(existsSync(job)).toBe(true)
    expect(failures).toEqual([])
    expect(faults).toBeGreaterThan(25)
  },
)
