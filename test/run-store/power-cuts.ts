import { expect } from 'vitest'
import { driveRun } from '../../src/app/store/drive-run.ts'
import { readTrace } from '../../src/app/store/read-trace.ts'
import type { RunResult } from '../../src/app/store/result-file.ts'
import type { Objective } from '../../src/optimizer/core/types.ts'
import { randomNumbers } from './damage.ts'
import { laterFiles, unhurried } from './later-files.ts'
import { type PowerFiles, powerFiles } from './power-files.ts'
import { clockFor, countedBowl, openOrCreate, settings, start } from './stored-run.ts'

/** Milliseconds that a batch of five queries takes: four in a second, a checkpoint after eight. */
const perBatch = 250
/** Queries that a power cut may cost: those of a second, and the batch under way. */
const lostAtMost = (1000 / perBatch + 1) * 5
const mostCuts = 4

/** A run that is extended once it has ended; `journalLimit` lets its journal drop records on the way. */
async function complete(files: PowerFiles, bowl: Objective, journalLimit: number): Promise<RunResult> {
  const { objective, clock } = clockFor(files.later === undefined ? bowl : unhurried(bowl), perBatch)
  for (;;) {
    const store = await openOrCreate('run', { files, clock, journalLimit })
    try {
      const isExtended = () => store.meta.extensions.length > 0
      if (store.result?.status === 'finished' && isExtended()) return store.result
      if (store.result?.status === 'finished') await store.extend({ maxQueries: 300 })
      const maxQueries = isExtended() ? 300 : 200
      const result = await driveRun(store, objective, start, { ...settings, maxQueries })
      if (isExtended()) return result
    } finally {
      await store.close()
    }
  }
}

/** What happened to runs whose power was cut. */
export interface PowerCuts {
  cuts: number
  /** Queries asked more than once. */
  repeated: number
}

/**
 * Cuts the power of so many runs, each up to four times; all must end with the bits of one that was left alone. `beside` lets
 * them write checkpoints and sync beside the loop.
 */
export async function powerCuts(trials: number, journalLimit: number, beside = false): Promise<PowerCuts> {
  const make: typeof powerFiles = (...given) => (beside ? laterFiles(powerFiles(...given)) : powerFiles(...given))
  const untouched = make(new Map())
  const alone = countedBowl()
  const whole = await complete(untouched, alone, journalLimit)
  const trace = traceOf(untouched)
  const account: PowerCuts = { cuts: 0, repeated: 0 }
  for (let seed = 0; seed < trials; seed++) {
    const { files, result, cuts, asked } = await cutRun(make, randomNumbers(seed), untouched.changes, journalLimit)
    expect({ ...result, seconds: 0 }, `seed ${seed}`).toEqual({ ...whole, seconds: 0 })
    expect(traceOf(files), `seed ${seed}`).toEqual(trace)
    expect(asked - alone.asked, `seed ${seed}, ${cuts} cuts`).toBeLessThanOrEqual(cuts * lostAtMost)
    account.cuts += cuts
    account.repeated += asked - alone.asked
  }
  return account
}

async function cutRun(make: typeof powerFiles, random: () => number, changes: number, journalLimit: number) {
  const bowl = countedBowl()
  let disk = new Map<string, Uint8Array>()
  let cuts = 0
  const wanted = 1 + Math.floor(random() * mostCuts)
  for (;;) {
    const cutAt = cuts < wanted ? Math.floor(random() * changes) : Infinity
    const files = make(disk, cutAt)
    try {
      const result = await complete(files, bowl, journalLimit)
      return { files, result, cuts, asked: bowl.asked }
    } catch (error) {
      if (!files.isOff) throw error
      cuts++
      disk = files.survivors(random)
    }
  }
}

/** The trace of a run without its times. */
function traceOf(files: PowerFiles) {
  const { columns, damaged } = readTrace(files, 'run')
  return { ...columns, seconds: columns.seconds.length, damaged }
}
