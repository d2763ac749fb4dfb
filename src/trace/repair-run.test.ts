import { describe, expect, test } from 'vitest'
import { type MemoryFiles, memoryFiles } from '../../test/run-store/memory-files.ts'
import { clockFor, complete, countedBowl, openOrCreate, settings, start } from '../../test/run-store/stored-run.ts'
import { driveRun } from './drive-run.ts'
import { repairRun } from './repair-run.ts'

const whole = await complete('run', countedBowl(), {}, { files: memoryFiles() })

/** A run interrupted after 20 iterations, with checkpoints at every second of them up to `last`. */
async function interrupted(last = 20): Promise<MemoryFiles> {
  const files = memoryFiles()
  const { objective, clock } = clockFor(countedBowl(), 1000)
  const store = await openOrCreate('run', { files, clock: () => Math.min(clock(), last * 1000) })
  const onIteration = ({ iteration }: { iteration: number }) => {
    if (iteration === 20) throw new Error('interrupted')
  }
  await driveRun(store, objective, start, settings, { onIteration }).catch(() => undefined)
  await store.close()
  return files
}

function flip(files: MemoryFiles, path: string, at: number): void {
  const bytes = files.content(path).slice()
  bytes[at] = 64 ^ (bytes[at] as number)
  files.put(path, bytes)
}

/** Where a record begins: all are equally long here. */
const recordAt = (number: number): number => 96 + 97 * (number - 1)

async function finish(files: MemoryFiles): Promise<number> {
  const bowl = countedBowl()
  expect(await complete('run', bowl, {}, { files })).toEqual({ ...whole, seconds: expect.any(Number) })
  return bowl.asked
}

test('nothing is done to a sound run', async () => {
  const files = await interrupted()
  expect(await repairRun('run', files)).toEqual([])
  expect(files.list('run').filter((name) => name.includes('damaged'))).toEqual([])
  expect(await finish(files)).toBe(16)
})

describe('a damaged record', () => {
  test('older than a checkpoint costs no query: the journal begins anew behind the checkpoint', async () => {
    const files = await interrupted()
    const damaged = files.content('run/journal')
    flip(files, 'run/journal', recordAt(7) + 60)
    expect(await repairRun('run', files)).toEqual(['journal: 2 records after checkpoint-a kept (20 in all)'])
    expect(files.content('run/journal.damaged')).toHaveLength(damaged.length)
    expect(await repairRun('run', files)).toEqual([])
    expect(await finish(files)).toBe(16)
  })

  test('newer than all checkpoints costs what it and those behind it answered', async () => {
    const files = await interrupted(8)
    flip(files, 'run/journal', recordAt(13) + 60)
    expect(await repairRun('run', files)).toEqual([
      'journal: 12 records after the beginning kept (12 in all); 7 sound ones after the damage dropped: their queries are evaluated again',
    ])
    expect(await finish(files)).toBe(116 - 60)
  })
})

test('a damaged header is written again, and all records are kept', async () => {
  const files = await interrupted(0)
  flip(files, 'run/journal', 40)
  expect(await repairRun('run', files)).toEqual(['journal: 20 records after the beginning kept (20 in all)'])
  expect(await finish(files)).toBe(16)
})

test('a journal that is gone begins anew behind the newest checkpoint', async () => {
  const files = await interrupted()
  files.unlink('run/journal')
  expect(await repairRun('run', files)).toEqual(['journal: 0 records after checkpoint-b kept (20 in all)'])
  expect(await finish(files)).toBe(16)
})

test('damaged checkpoints, lock and lines of the trace are set aside', async () => {
  const files = await interrupted()
  flip(files, 'run/checkpoint-a', 100)
  files.put('run/lock', new Uint8Array(0))
  flip(files, 'run/trace.jsonl', 5)
  expect(await repairRun('run', files)).toEqual([
    'lock is now lock.damaged: it was damaged',
    'checkpoint-a is now checkpoint-a.damaged: it is damaged',
    expect.stringMatching(/^trace.jsonl: \d+ lines kept, 1 damaged ones dropped$/),
  ])
  expect(await finish(files)).toBe(16)
})

test('a damaged result is set aside and made again without a query', async () => {
  const files = memoryFiles()
  await complete('run', countedBowl(), {}, { files })
  flip(files, 'run/result.json', 50)
  expect(await repairRun('run', files)).toEqual([
    'result.json is now result.json.damaged: it was damaged; "zeroth resume" makes it again from the journal',
  ])
  expect(await finish(files)).toBe(0)
})

test('a finished run that lost the checkpoint of its end can be extended after a repair', async () => {
  const files = memoryFiles()
  await complete('run', countedBowl(), {}, { files })
  files.unlink('run/checkpoint-a')
  const store = await openOrCreate('run', { files })
  await expect(store.extend({ maxQueries: 200 })).rejects.toThrow('has no sound checkpoint of its end to continue from')
  await store.close()
  expect(await repairRun('run', files)).toEqual([expect.stringMatching('no checkpoint covers the end')])
  expect(await finish(files)).toBe(0)
  const again = await openOrCreate('run', { files })
  await again.extend({ maxQueries: 200 })
  await again.close()
})

test('a run that is open is left alone', async () => {
  const files = await interrupted()
  const store = await openOrCreate('run', { files })
  await expect(repairRun('run', files)).rejects.toThrow('run is in use by process')
  await store.close()
})
