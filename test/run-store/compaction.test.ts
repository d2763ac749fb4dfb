import { describe, expect, test } from 'vitest'
import { decodeHeader } from '../../src/app/store/journal-record.ts'
import type { StoreOptions } from '../../src/app/store/open-run.ts'
import { readTrace } from '../../src/app/store/read-trace.ts'
import type { RunResult } from '../../src/app/store/result-file.ts'
import type { Objective } from '../../src/optimizer/core/types.ts'
import { type MemoryFiles, memoryFiles } from './memory-files.ts'
import { about, type Counted, clockFor, complete, countedBowl, openOrCreate } from './stored-run.ts'

// A journal that drops what both checkpoints cover: at a second per batch, a checkpoint is due after every second one.

function run(files: MemoryFiles, bowl: Objective, options: StoreOptions = {}): Promise<RunResult> {
  const { objective, clock } = clockFor(bowl, 1000)
  return complete('run', objective, { maxQueries: 240 }, { files, clock, journalLimit: 1, ...options })
}

/** The run before each of its batches, which is what a process killed there leaves. */
async function filmed(): Promise<{ files: MemoryFiles; asked: number }[]> {
  const film: { files: MemoryFiles; asked: number }[] = []
  const files = memoryFiles()
  const bowl = countedBowl()
  const evaluate: Objective['evaluate'] = (...batch) => {
    film.push({ files: files.copy(), asked: bowl.asked })
    return bowl.evaluate(...batch)
  }
  await run(files, { ...bowl, evaluate })
  return film
}

/** Records that the journal has dropped. */
function dropped(files: MemoryFiles): number {
  return decodeHeader('run/journal', files.content('run/journal'), about)?.after ?? 0
}

function damage(files: MemoryFiles, name: string, at: number): void {
  const bytes = files.content(`run/${name}`).slice()
  bytes[at] = 1 ^ (bytes[at] as number)
  files.put(`run/${name}`, bytes)
}

const whole = { files: memoryFiles(), bowl: countedBowl() }
const expected = await run(whole.files, whole.bowl, { journalLimit: Infinity })
const timeless = { seconds: expect.any(Number) }
const film = await filmed()
const compacted = film.filter(({ files }) => dropped(files) > 0)

async function expectSame(files: MemoryFiles, bowl: Counted): Promise<void> {
  expect(await run(files, bowl)).toEqual({ ...expected, ...timeless })
  expect(bowl.asked).toBe(whole.bowl.asked)
  expect(readTrace(files, 'run').columns.best).toEqual(readTrace(whole.files, 'run').columns.best)
}

describe('a journal that drops what both checkpoints cover', () => {
  test('stays short, and the run has the same result and the same trace', async () => {
    const files = memoryFiles()
    await expectSame(files, countedBowl())
    expect([dropped(whole.files), dropped(files) > 30]).toEqual([0, true])
    const longest = Math.max(...film.map((each) => each.files.content('run/journal').length))
    expect(longest).toBeLessThan(whole.files.content('run/journal').length / 4)
  })

  test('of a run that was killed gives the same bits and asks nothing twice', async () => {
    expect(compacted.length).toBeGreaterThan(30)
    for (const { files, asked } of film) await expectSame(files.copy(), countedBowl(asked))
  })

  test('holds what is behind either checkpoint: one of them may be damaged', async () => {
    for (const name of ['checkpoint-a', 'checkpoint-b']) {
      for (const { files, asked } of compacted) {
        const hurt = files.copy()
        damage(hurt, name, 40)
        await expectSame(hurt, countedBowl(asked))
      }
    }
  })

  test('knows how long the run had been at work', async () => {
    const files = memoryFiles()
    await run(files, countedBowl())
    files.unlink('run/result.json')
    expect((await run(files, countedBowl())).seconds).toBe(expected.seconds)
  })

  test('with a damaged record begins anew after a checkpoint', async () => {
    const { files } = compacted.at(-1) as (typeof compacted)[number]
    const hurt = files.copy()
    damage(hurt, 'journal', 150)
    const store = await openOrCreate('run', { files: hurt })
    await store.close()
    expect(store.notes.join()).toMatch(/journal was damaged: \d+ records after checkpoint-[ab] kept \(\d+ in all\)$/)
    expect(await run(hurt, countedBowl())).toEqual({ ...expected, ...timeless })
  })

  test('is refused without a sound checkpoint, because its first records are gone', async () => {
    const { files } = compacted.at(-1) as (typeof compacted)[number]
    const hurt = files.copy()
    for (const name of ['checkpoint-a', 'checkpoint-b']) damage(hurt, name, 40)
    await expect(run(hurt, countedBowl())).rejects.toThrow('has none that is sound and fits its journal')
  })

  test.each([
    ['an objective that is told what was answered', { recall: () => undefined }, {}],
    ['a run that is read from its start', {}, { fromStart: true }],
  ])('keeps every record of %s', async (_, remembering, options) => {
    const files = memoryFiles()
    await run(files, { ...countedBowl(), ...remembering }, options)
    expect(dropped(files)).toBe(0)
  })
})
