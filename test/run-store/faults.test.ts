import { describe, expect, test } from 'vitest'
import type { RunResult } from '../../src/app/store/result-file.ts'
import type { StoreFiles } from '../../src/app/store/run-file.ts'
import { ZerothError } from '../../src/optimizer/core/errors.ts'
import type { Objective } from '../../src/optimizer/core/types.ts'
import { type FileCall, faultyFiles } from './faulty-files.ts'
import { laterFiles, unhurried } from './later-files.ts'
import { memoryFiles } from './memory-files.ts'
import { clockFor, complete, countedBowl } from './stored-run.ts'

// Under the policy that goes on after failed queries: a failing disk must not pass for one.
const given = { failures: 'skip' } as const

function run(files: StoreFiles, bowl: Objective, journalLimit = Infinity): Promise<RunResult> {
  const { objective, clock } = clockFor(files.later === undefined ? bowl : unhurried(bowl), 1000)
  return complete('run', objective, given, { files, clock, journalLimit })
}

const whole = countedBowl()
const expected = await run(memoryFiles(), whole)
const names: Partial<Record<FileCall, string>> = {
  datasync: 'fdatasync',
  syncFolder: 'fsync',
  makeFolder: 'mkdir',
  identity: 'stat',
  size: 'stat',
}
const calls = Object.keys(memoryFiles()).filter((call) => !['copy', 'content', 'put'].includes(call)) as FileCall[]

/** What a journal does that drops records. */
const dropping: FileCall[] = ['open', 'close', 'read', 'write', 'datasync', 'rename', 'syncFolder']

describe.each([
  ['a whole journal', Infinity, calls, false, 1],
  // What comes before is the same: every third call.
  ['a journal that drops records', 1, dropping, false, 3],
  ['a journal that drops records, written beside the loop', 1, dropping, true, 3],
])('a run with %s whose file system fails', (_, limit, failing, beside, stride) => {
  test.each(failing)(
    'in the n-th %s, n up to 50, says so and ends with the same bits when it is resumed',
    async (call) => {
      let failures = 0
      for (let nth = 1; nth <= 50; nth += stride) {
        const files = memoryFiles()
        const code = nth % 2 === 0 ? 'EIO' : 'ENOSPC'
        const sync = faultyFiles(files, call, nth, code)
        const faulty = beside ? laterFiles(sync) : sync
        const bowl = countedBowl()
        const error = await run(faulty, bowl, limit).then(
          (result) => expect(result.hash).toBe(expected.hash),
          (reason: unknown) => reason,
        )
        if (faulty.failed) {
          failures++
          expect(error).toBeInstanceOf(ZerothError)
          expect(error).toMatchObject({ code: 'storage-failed' })
          expect((error as Error).message).toMatch(
            new RegExp(`^cannot ${names[call] ?? call} run(/[a-z.-]+[^ ]*)?: ${code}: it is only a test$`),
          )
        }
        // A copy is what the next process finds: the lock of this one is not in its way.
        const result = await run(files.copy(), bowl, limit)
        expect({ ...result, seconds: 0 }).toEqual({ ...expected, seconds: 0 })
        expect(bowl.asked).toBeLessThanOrEqual(whole.asked + 5)
      }
      expect(failures).toBeGreaterThan(0)
    },
  )
})
