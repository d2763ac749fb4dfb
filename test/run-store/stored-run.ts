import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { driveRun } from '../../src/app/store/drive-run.ts'
import { createRun, openRun, type StoreOptions } from '../../src/app/store/open-run.ts'
import type { RunResult } from '../../src/app/store/result-file.ts'
import type { RunStore } from '../../src/app/store/run-store.ts'
import type { SessionOptions } from '../../src/optimizer/core/session-options.ts'
import type { Objective } from '../../src/optimizer/core/types.ts'
import { zoAdaMM } from '../../src/optimizer/methods/presets.ts'
import { functionObjective } from '../../src/optimizer/objectives/function.ts'

let root: string | undefined
let folders = 0
afterAll(() => {
  if (root !== undefined) rmSync(root, { recursive: true, force: true })
})

/** A folder that does not exist yet, below one that is removed at the end. */
export function newFolder(): string {
  root ??= mkdtempSync(join(tmpdir(), 'zeroth-run-store-'))
  return join(root, `run-${++folders}`)
}

/** What is said about every run here. */
export const about = { id: 'a-run', created: '2026-01-01T00:00:00Z', zeroth: '0.1.0', spec: { maxQueries: 120 } }

/** Four directions and the center: five queries an iteration. */
export const settings: SessionOptions = {
  failures: 'stop',
  solver: zoAdaMM({ directions: 4, learningRate: { value: 0.05, decay: 'sqrt' } }),
  seed: 3,
  maxQueries: 120,
}
export const start = [1, -2, 0.5]

/** A black box that counts what it is asked. */
export type Counted = Objective & { asked: number }

/** A bowl; `fault` may let the n-th query throw, counted from `asked` on. */
export function countedBowl(asked = 0, fault?: (asked: number) => void): Counted {
  const bowl = functionObjective(
    (x) => {
      counted.asked++
      fault?.(counted.asked)
      return Array.from(x).reduce((sum, each, i) => sum + (i + 1) * each * each, 0)
    },
    { dim: start.length },
  )
  const counted = Object.assign(bowl, { asked })
  return counted
}

/** A clock that moves on with every batch only: at 1000 ms each, a checkpoint is due after every second one. */
export function clockFor(objective: Objective, perBatch: number): { objective: Objective; clock: () => number } {
  let now = 0
  const evaluate: Objective['evaluate'] = (...batch) => {
    now += perBatch
    return objective.evaluate(...batch)
  }
  return { objective: { ...objective, evaluate }, clock: () => now }
}

/** Opens the run in a folder, or begins it where there is none. */
export async function openOrCreate(folder: string, options?: StoreOptions): Promise<RunStore> {
  try {
    return await openRun(folder, options)
  } catch (error) {
    if (!/is not a run/.test((error as Error).message)) throw error
    return createRun(folder, about, options)
  }
}

/** Takes the run in a folder to its end, from wherever it is. */
export async function complete(
  folder: string,
  objective: Objective,
  given: Partial<SessionOptions> = {},
  options?: StoreOptions,
): Promise<RunResult> {
  const store = await openOrCreate(folder, options)
  try {
    return await driveRun(store, objective, start, { ...settings, ...given })
  } finally {
    await store.close()
  }
}
