import { expect, test } from 'vitest'
import { type MemoryFiles, memoryFiles } from '../../test/run-store/memory-files.ts'
import { clockFor, complete, countedBowl, openOrCreate, settings, start } from '../../test/run-store/stored-run.ts'
import type { Objective } from '../core/types.ts'
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
  files.put('run/journal', files.content('run/journal').slice(0, 96 + 97 * 6))
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
