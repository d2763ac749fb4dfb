import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cutEverywhere, slowDigits } from '../run-store/cut-points.ts'
import { jobs } from '../run-store/recorded-jobs.mjs'
import { canTrace, endings } from '../run-store/system-calls.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-cuts-'))
let model: Awaited<ReturnType<typeof slowDigits>>
beforeAll(async () => {
  model = await slowDigits()
})
afterAll(async () => {
  await model.close()
  rmSync(folder, { recursive: true, force: true })
})

test.runIf(canTrace()).each(Object.keys(jobs))(
  'a job ends with the same bits, whichever call its process or its machine stops behind: %s',
  async (kind) => {
    const pause = kind.startsWith('attack') ? 150 : 75
    const { calls, states, failures } = await cutEverywhere({ folder, kind, pause, names: Object.keys(endings), model })
    process.stdout.write(`${kind}: ${calls} calls, ${states} states of the disk, ${failures.length} failures\n`)
    expect(failures).toEqual([])
    expect(states).toBeGreaterThan(calls)
  },
)
