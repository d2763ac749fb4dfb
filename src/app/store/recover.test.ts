import { describe, expect, test } from 'vitest'
import { type MemoryFiles, memoryFiles } from '../../../test/run-store/memory-files.ts'
import { clockFor, complete, countedBowl, openOrCreate, settings, start } from '../../../test/run-store/stored-run.ts'
import type { Objective } from '../../optimizer/core/types.ts'
import { driveRun } from './drive-run.ts'
import { openRun } from './open-run.ts'

/** A run of the objective that is left after 10 iterations, with checkpoints of the last of them if they are wanted. */
async function left(objective: Objective, perBatch: number): Promise<MemoryFiles> {
  const files = memoryFiles()
  const timed = clockFor(objective, perBatch)
  const store = await openOrCreate('run', { files, clock: timed.clock })
  const onIteration = ({ iteration }: { iteration: number }) => {
    if (iteration === 10) throw new Error('left')
  }
  await driveRun(store, timed.objective, start, settings, { onIteration }).catch(() => undefined)
  await store.close()
  return files
}

/** Answers that differ from those of the bowl. */
function slope(): Objective {
  const bowl = countedBowl()
  const evaluate: Objective['evaluate'] = (queries, into) => {
    bowl.evaluate(queries, into)
    for (let row = 0; row < queries.rows; row++) into.values[row] = 2 - (into.values[row] as number)
  }
  return { dim: 3, evaluate }
}

async function notesOf(
  files: MemoryFiles,
): Promise<{ notes: readonly string[]; iteration: number | undefined; unread: number }> {
  const store = await openRun('run', { files })
  await store.close()
  return { notes: store.notes, iteration: store.checkpoint?.iteration, unread: store.unread }
}

test('the newest checkpoint is taken, and the records behind it are read', async () => {
  const files = await left(countedBowl(), 1000)
  expect(await notesOf(files)).toEqual({ notes: [], iteration: 10, unread: 0 })
  files.unlink('run/checkpoint-a')
  expect(await notesOf(files)).toEqual({ notes: [], iteration: 8, unread: 2 })
})

test('a damaged checkpoint leaves the older one', async () => {
  const files = await left(countedBowl(), 1000)
  files.content('run/checkpoint-a').fill(0, 200, 210)
  expect(await notesOf(files)).toEqual({ notes: ['checkpoint-a is not used: it is damaged'], iteration: 8, unread: 2 })
})

test('a checkpoint of other answers than the journal has is not used', async () => {
  const other = await left(slope(), 0)
  other.put('run/checkpoint-a', (await left(countedBowl(), 1000)).content('run/checkpoint-a'))
  expect(await notesOf(other)).toEqual({ notes: [], iteration: undefined, unread: 10 })
  const expected = await complete('run', slope(), {}, { files: memoryFiles() })
  expect((await complete('run', slope(), {}, { files: other })).hash).toBe(expected.hash)
})

test('records that a checkpoint covers but the journal has lost are asked again, and a note says so', async () => {
  const files = await left(countedBowl(), 1000)
  files.put('run/journal', files.content('run/journal').slice(0, 96 + 105 * 6))
  const lost = 'journal has lost its records 7 to 10: their queries are evaluated again'
  expect(await notesOf(files)).toEqual({ notes: [lost], iteration: undefined, unread: 6 })
  const bowl = countedBowl()
  const expected = await complete('run', countedBowl(), {}, { files: memoryFiles() })
  expect((await complete('run', bowl, {}, { files })).hash).toBe(expected.hash)
  expect(bowl.asked).toBe(116 - 30)
})

test('a journal of which not even the header is there begins anew', async () => {
  const files = await left(countedBowl(), 0)
  files.put('run/journal', new Uint8Array(20))
  const note = 'journal had no sound header and no records: 20 bytes dropped'
  expect(await notesOf(files)).toEqual({ notes: [note], iteration: undefined, unread: 0 })
})

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
const recordAt = (number: number): number => 96 + 105 * (number - 1)

/** The queries that a run asks until its end, which must be the right one. */
async function finish(files: MemoryFiles): Promise<number> {
  const whole = await complete('run', countedBowl(), {}, { files: memoryFiles() })
  const bowl = countedBowl()
  expect(await complete('run', bowl, {}, { files })).toEqual({ ...whole, seconds: expect.any(Number) })
  return bowl.asked
}

describe('a damaged journal is made whole', () => {
  test('without a query after a checkpoint that is newer than the damage; the damaged file is kept', async () => {
    const files = await interrupted()
    const { length } = files.content('run/journal')
    flip(files, 'run/journal', recordAt(7) + 60)
    const { notes } = await notesOf(files)
    expect(notes).toEqual(['journal was damaged: 2 records after checkpoint-a kept (20 in all)'])
    expect(files.content('run/journal.damaged')).toHaveLength(length)
    expect((await notesOf(files)).notes).toEqual([])
    expect(await finish(files)).toBe(16)
  })

  test('up to damage that is newer than all checkpoints, as a power cut may leave it', async () => {
    const files = await interrupted(8)
    flip(files, 'run/journal', recordAt(13) + 60)
    const { notes } = await notesOf(files)
    expect(notes).toEqual([
      'journal was damaged: 12 records after the beginning kept (12 in all); 7 sound ones after the damage dropped: their queries are evaluated again',
    ])
    expect(await finish(files)).toBe(116 - 60)
  })

  test('with all records if only its header is damaged', async () => {
    const files = await interrupted(0)
    flip(files, 'run/journal', 40)
    const { notes } = await notesOf(files)
    expect(notes).toEqual(['journal was damaged: 20 records after the beginning kept (20 in all)'])
    expect(await finish(files)).toBe(16)
  })

  test('after the newest checkpoint if it is gone', async () => {
    const files = await interrupted()
    files.unlink('run/journal')
    expect((await notesOf(files)).notes).toEqual(['journal was missing: 0 records after checkpoint-b kept (20 in all)'])
    expect(await finish(files)).toBe(16)
  })
})

test('a finished run that lost the checkpoint of its end can be extended once it has read its journal again', async () => {
  const files = memoryFiles()
  await complete('run', countedBowl(), {}, { files })
  files.unlink('run/checkpoint-a')
  const store = await openOrCreate('run', { files })
  await expect(store.extend({ maxQueries: 200 })).rejects.toThrow('has no sound checkpoint of its end to continue from')
  await store.close()
  const again = await openOrCreate('run', { files })
  expect(again.reopen()).toBe(true)
  const bowl = countedBowl()
  await driveRun(again, bowl, start, settings)
  expect(bowl.asked).toBe(0)
  await again.extend({ maxQueries: 200 })
  await again.close()
})
