import { describe, expect, test } from 'vitest'
import { driveRun } from '../../src/app/store/drive-run.ts'
import { createRun } from '../../src/app/store/open-run.ts'
import { ZerothError } from '../../src/optimizer/core/errors.ts'
import type { SessionOptions } from '../../src/optimizer/core/session-options.ts'
import type { Objective } from '../../src/optimizer/core/types.ts'
import { damage, randomNumbers } from './damage.ts'
import { type MemoryFiles, memoryFiles } from './memory-files.ts'
import { about, clockFor, complete, countedBowl, openOrCreate, settings, start } from './stored-run.ts'
import { virtualTiming } from './virtual-timing.ts'

// What a damaged run may come to: the right hash, or an error of one line. Never another hash, never a crash.

const longer = { maxQueries: 150 }

/** The run as it stands before each of its batches, its last file system state at the end. */
async function filmed(
  files: MemoryFiles,
  given: Partial<SessionOptions>,
  journalLimit = Infinity,
): Promise<MemoryFiles[]> {
  const film: MemoryFiles[] = []
  const bowl = countedBowl()
  const evaluate: Objective['evaluate'] = (...batch) => {
    film.push(files.copy())
    return bowl.evaluate(...batch)
  }
  const { objective, clock } = clockFor({ ...bowl, evaluate }, 1000)
  await complete('run', objective, given, { files, clock, journalLimit })
  return [...film, files.copy()]
}

async function extended(files: MemoryFiles): Promise<MemoryFiles[]> {
  const store = await openOrCreate('run', { files })
  await store.extend(longer)
  await store.close()
  return filmed(files, longer)
}

/** Another run of the same name. */
async function strangerRun(): Promise<MemoryFiles> {
  const files = memoryFiles()
  const store = await createRun('run', { ...about, created: '2026-01-02T00:00:00Z' }, { files })
  await driveRun(store, countedBowl(), start, { ...settings, seed: 4 })
  await store.close()
  return files
}

// A damaged lock may name a process that cannot be asked, which is watched for 20 seconds: they pass at once.
async function hashOf(files: MemoryFiles, given: Partial<SessionOptions>): Promise<string> {
  return (await complete('run', countedBowl(), given, { files, timing: virtualTiming() })).hash
}

/** The hash, or the error's message where it is one that may be shown. */
async function hashOrError(files: MemoryFiles, given: Partial<SessionOptions>): Promise<string> {
  try {
    return await hashOf(files, given)
  } catch (error) {
    if (!(error instanceof ZerothError) || error.message.includes('\n')) throw error
    return `refused: ${error.message}`
  }
}

/** Damages a run again and again, each time from its sound state; counts what became of it. */
async function ordeal(stages: MemoryFiles[], stranger: MemoryFiles, given: Partial<SessionOptions>, trials: number) {
  const right = await hashOf((stages.at(-1) as MemoryFiles).copy(), given)
  const counts = { right: 0, unlocked: 0, lost: [] as string[] }
  for (let trial = 0; trial < trials; trial++) {
    const random = randomNumbers(trial)
    const stage = Math.floor(random() * stages.length)
    const files = (stages[stage] as MemoryFiles).copy()
    const what = damage(files, stages[Math.floor(random() * (stage + 1))] as MemoryFiles, stranger, random)
    const found = await hashOrError(files, given)
    expect([right, 'refused'], `${trial}: ${what}`).toContain(found.replace(/refused.*/, 'refused'))
    if (found === right) {
      counts.right++
      continue
    }
    if (what.startsWith('lock')) {
      // As the message advises.
      files.unlink('run/lock')
      expect(await hashOrError(files, given), `${trial}: ${what}`).toBe(right)
      counts.unlocked++
    } else counts.lost.push(what)
  }
  return counts
}

/** Most go on by themselves; what is lost has no description, a stranger's journal, or none before its first checkpoint. */
function check({ right, unlocked, lost }: Awaited<ReturnType<typeof ordeal>>, trials: number): void {
  expect(right + unlocked + lost.length).toBe(trials)
  expect(right).toBeGreaterThan(trials * 0.6)
  expect(lost.filter((what) => !/^meta.json|^journal: (of another run|gone)/.test(what))).toEqual([])
}

describe('1,200 damaged runs give the right result or a clear error', () => {
  test('700 of a plain run', async () => {
    const stages = await filmed(memoryFiles(), {})
    check(await ordeal(stages, await strangerRun(), {}, 700), 700)
  })

  test('200 of a run whose journal drops records', async () => {
    const stages = await filmed(memoryFiles(), {}, 1)
    check(await ordeal(stages, await strangerRun(), {}, 200), 200)
  })

  test('300 of an extended run', async () => {
    const files = memoryFiles()
    const before = await filmed(files, {})
    const stages = await extended(files)
    check(await ordeal(stages, before.at(-1) as MemoryFiles, longer, 300), 300)
  })
})
