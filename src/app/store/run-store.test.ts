import { describe, expect, test, vi } from 'vitest'
import { faultyFiles } from '../../../test/run-store/faulty-files.ts'
import { type MemoryFiles, memoryFiles } from '../../../test/run-store/memory-files.ts'
import { clockFor, complete, countedBowl, openOrCreate, settings, start } from '../../../test/run-store/stored-run.ts'
import { virtualTiming } from '../../../test/run-store/virtual-timing.ts'
import { runToEnd } from '../../optimizer/core/engine.ts'
import { ZerothError } from '../../optimizer/core/errors.ts'
import { createSession, type Session } from '../../optimizer/core/session.ts'
import type { Objective } from '../../optimizer/core/types.ts'
import { zoAdaMM, zoSGD } from '../../optimizer/methods/presets.ts'
import { minimize } from '../../optimizer/minimize/minimize.ts'
import { functionObjective } from '../../optimizer/objectives/function.ts'
import { driveRun } from './drive-run.ts'
import { openRun } from './open-run.ts'
import type { RunStore } from './run-store.ts'

const whole = await complete('run', countedBowl(), {}, { files: memoryFiles() })
const timeless = { seconds: expect.any(Number) }

/** A session with its first batches answered, as a loop of one's own would do it. */
function begun(store: RunStore, objective: Objective, batches: number, given: object = {}): Session {
  const session = createSession(start, { ...settings, ...given, resume: store.checkpoint })
  const recorded = store.journaled(objective)
  for (let i = 0; i < batches; i++) turn(session, recorded, store)
  return session
}

function turn(session: Session, objective: Objective, store: RunStore): void {
  const before = session.latest
  const answers = session.answers()
  objective.evaluate(session.ask(), answers)
  session.tell(answers)
  if (session.latest !== undefined && session.latest !== before) store.iteration(session.latest, session)
}

function namesOf(files: MemoryFiles): string[] {
  return files.list('run').sort()
}

test('a process that stood still while another took its run harms nothing, and hears of it', async () => {
  const files = memoryFiles()
  const stopped = await openOrCreate('run', { files, timing: virtualTiming() })
  const session = begun(stopped, countedBowl(), 3)
  const stale = (queries: number) => begun(stopped, countedBowl(), queries)
  // It is in another container, from where the second one sees it.
  const lock = JSON.parse(new TextDecoder().decode(files.content('run/lock')))
  files.put('run/lock', new TextEncoder().encode(JSON.stringify({ ...lock, namespace: 'pid:[2]', pid: 21 })))
  const second = await openRun('run', { files, timing: virtualTiming() })
  expect(second.notes).toEqual([expect.stringMatching(/^took over the lock of process 21 .* no sign of life$/)])
  // It had looked just before it was stopped, and goes on to write.
  stale(2)
  const result = await driveRun(second, countedBowl(), start, settings)
  expect(result).toEqual({ ...whole, ...timeless })
  await expect(stopped.save(session)).rejects.toThrow('run/lock was taken by process')
  await stopped.close()
  expect(second.result).toEqual(result)
  await second.close()
  expect((await openRun('run', { files })).notes).toEqual([])
})

describe('a run', () => {
  test('has the result that minimize gives without a store', async () => {
    const result = await minimize(countedBowl(), start, settings)
    expect(whole).toMatchObject({
      status: 'finished',
      stopReason: 'max-queries',
      value: result.value,
      point: [...result.point],
      last: { value: result.last.value, point: [...result.last.point] },
      queries: 116,
      iterations: 23,
      hash: 'a9cd9de75a1b5ca1c92844457055d3db2a0e93b7bd2aafa72487ed12afaa1d7a',
    })
  })

  test('can be driven by minimize', async () => {
    const files = memoryFiles()
    const store = await openOrCreate('run', { files })
    let session: Session | undefined
    const outcome = await minimize(store.journaled(countedBowl()), start, {
      ...settings,
      resume: store.checkpoint,
      onIteration: (record, at) => {
        session = at
        store.iteration(record, at)
      },
    })
    expect(await store.finish(outcome, session as Session)).toEqual({ ...whole, ...timeless })
    await store.close()
    expect(namesOf(files)).toEqual(['checkpoint-a', 'journal', 'meta.json', 'result.json', 'trace.jsonl'])
  })

  test('of an asynchronous objective has the same result', async () => {
    const bowl = countedBowl()
    const later: Objective = { ...bowl, evaluate: async (...batch) => bowl.evaluate(...batch) }
    expect(await complete('run', later, {}, { files: memoryFiles() })).toEqual({ ...whole, ...timeless })
  })

  test('that has finished gives its result again and asks nothing', async () => {
    const files = memoryFiles()
    const first = await complete('run', countedBowl(), {}, { files })
    const bowl = countedBowl()
    expect(await complete('run', bowl, {}, { files })).toEqual(first)
    expect(bowl.asked).toBe(0)
    const store = await openRun('run', { files })
    expect(store.seconds).toBe(first.seconds)
    expect(() => store.journaled(bowl)).toThrow('run has ended: extend it to continue')
    await store.close()
    expect(() => store.journaled(bowl)).toThrow('run has been closed')
  })

  test('whose result is damaged makes it again from its journal', async () => {
    const files = memoryFiles()
    await complete('run', countedBowl(), {}, { files })
    files.put('run/result.json', files.content('run/result.json').slice(0, -5))
    const bowl = countedBowl()
    expect(await complete('run', bowl, {}, { files })).toEqual({ ...whole, ...timeless })
    expect(bowl.asked).toBe(0)
  })

  test('keeps synchronous objectives synchronous', async () => {
    const store = await openOrCreate('run', { files: memoryFiles() })
    const session = createSession(start, settings)
    expect(store.journaled(countedBowl()).evaluate(session.ask(), session.answers())).toBeUndefined()
    await store.close()
  })
})

describe('the journal', () => {
  test('drops a torn tail and says so', async () => {
    const files = memoryFiles()
    const store = await openOrCreate('run', { files })
    begun(store, countedBowl(), 5)
    await store.close()
    files.put('run/journal', files.content('run/journal').slice(0, -37))
    const again = await openRun('run', { files })
    expect(again.notes).toEqual(['the last record of journal was torn: 68 bytes dropped'])
    expect(again.unread).toBe(4)
    await again.close()
    expect(await complete('run', countedBowl(), {}, { files })).toEqual({ ...whole, ...timeless })
  })

  test('with damage behind what had reached the disk ends there, as a power cut leaves it, whatever else is damaged', async () => {
    const files = memoryFiles()
    const store = await openOrCreate('run', { files })
    begun(store, countedBowl(), 5)
    await store.close()
    const bytes = files.content('run/journal')
    bytes[320] = 1 ^ (bytes[320] as number)
    files.put('run/checkpoint-a', new Uint8Array(9))
    const again = await openRun('run', { files })
    const kept = 'journal was damaged: 2 records after the beginning kept (2 in all)'
    expect(again.notes).toEqual([
      'checkpoint-a is not used: it is damaged',
      `${kept}; 2 sound ones after the damage dropped: their queries are evaluated again`,
    ])
    await again.close()
    expect(await complete('run', countedBowl(), {}, { files })).toEqual({ ...whole, ...timeless })
  })

  test('with a damaged record that had reached the disk is refused, with number and place', async () => {
    const files = memoryFiles()
    const { objective, clock } = clockFor(countedBowl(), 250)
    const store = await openOrCreate('run', { files, clock })
    begun(store, objective, 5)
    await store.close()
    const bytes = files.content('run/journal')
    bytes[320] = 1 ^ (bytes[320] as number)
    await expect(openRun('run', { files })).rejects.toMatchObject({
      code: 'invalid-run',
      message:
        'run/journal: record 3 at byte 306 is damaged, but record 4 at byte 411 is sound: put the folder back from a copy, or begin a new run',
    })
  })

  test('refuses a run that asks something else', async () => {
    const files = memoryFiles()
    const store = await openOrCreate('run', { files })
    begun(store, countedBowl(), 5)
    await store.close()
    const solver = zoSGD({ directions: 7, learningRate: 0.1 })
    await expect(complete('run', countedBowl(), { solver, failures: 'skip' }, { files })).rejects.toMatchObject({
      code: 'invalid-checkpoint',
      message:
        'run/journal: record 1 at byte 96 answers iteration 1 (rows: 5, centers: 1), but the run asks iteration 1 (rows: 8, centers: 1); the spec, the solver, the objective or zeroth itself is not the one of this run',
    })
  })

  test.each([
    ['the last row of the first batch', { seed: 4 }, 1],
    ['the first point that is another one', { solver: zoAdaMM({ directions: 4, learningRate: 0.05 }) }, 3],
  ])('refuses a run that asks as much about other points, at %s', async (_, given, record) => {
    const files = memoryFiles()
    const store = await openOrCreate('run', { files })
    begun(store, countedBowl(), 5)
    await store.close()
    const bowl = countedBowl()
    await expect(complete('run', bowl, given, { files })).rejects.toMatchObject({
      code: 'invalid-checkpoint',
      message: expect.stringMatching(
        `^run/journal: record ${record} at .*, but the run asks iteration ${record} .* about other points; the spec, the solver`,
      ),
    })
    expect(bowl.asked).toBe(0)
  })

  test('says that a cache has lost answers if records before a checkpoint are gone', async () => {
    const files = memoryFiles()
    const { objective, clock } = clockFor(countedBowl(), 1000)
    const store = await openOrCreate('run', { files, clock })
    begun(store, objective, 6)
    await store.close()
    const bytes = files.content('run/journal')
    bytes[320] = 1 ^ (bytes[320] as number)
    const again = await openRun('run', { files, fromStart: true })
    await again.close()
    expect(again.notes).toEqual([
      expect.stringMatching(/^journal was damaged: \d records after checkpoint-b kept/),
      expect.stringMatching(
        /^records 1 to 4 cannot be read again: what remembers answers \(a cache\) begins without them, and asks/,
      ),
    ])
  })

  test('keeps why queries failed, as text, and what a cache and retries did', async () => {
    const files = memoryFiles()
    const odd: Objective = {
      dim: 3,
      evaluate(queries, into) {
        for (let row = 0; row < queries.rows; row++) into.values[row] = row
        into.failed[2] = 1
        into.reasons[2] = new RangeError('x'.repeat(600))
        into.reasons[3] = {
          toString: () => {
            throw new Error('even this')
          },
        }
        into.failed[3] = 1
        if (into.cached !== undefined) into.cached[1] = 1
        into.retries = 4
      },
    }
    const first = await complete('run', odd, { failures: 'skip', maxIterations: 2 }, { files })
    expect(first).toMatchObject({ queries: 9, cacheHits: 2, retries: 12, failures: { count: 4 } })
    expect(first.failures.first).toBe(`RangeError: ${'x'.repeat(488)}...`)
    files.unlink('run/result.json')
    for (const name of ['checkpoint-a', 'checkpoint-b']) if (namesOf(files).includes(name)) files.unlink(`run/${name}`)
    expect(await complete('run', countedBowl(), { failures: 'skip', maxIterations: 2 }, { files })).toEqual({
      ...first,
      ...timeless,
    })
  })

  test('records an objective that throws or rejects as all rows failed', async () => {
    for (const evaluate of [
      () => {
        throw new Error('no device')
      },
      () => Promise.reject(new Error('no device')),
    ]) {
      const files = memoryFiles()
      const broken = { dim: 3, evaluate }
      const first = await complete('run', broken, { failures: 'skip', maxIterations: 3 }, { files })
      expect(first).toMatchObject({
        skippedIterations: 3,
        failures: { count: first.queries, first: 'Error: no device' },
      })
      files.unlink('run/result.json')
      files.unlink('run/checkpoint-a')
      const bowl = countedBowl()
      expect(await complete('run', bowl, { failures: 'skip', maxIterations: 3 }, { files })).toEqual({
        ...first,
        ...timeless,
      })
      expect(bowl.asked).toBe(0)
    }
  })
})

describe('an objective that remembers what it was asked', () => {
  test.each([
    [true, [1, 2, 3, 4, 5, 6]],
    [false, [5, 6]],
  ])('is told the records that are read again (from the start: %s)', async (fromStart, told) => {
    const files = memoryFiles()
    const store = await openOrCreate('run', { files })
    const session = begun(store, countedBowl(), 4)
    await store.save(session)
    const recorded = store.journaled(countedBowl())
    for (let i = 0; i < 2; i++) turn(session, recorded, store)
    await store.close()
    const recalled: number[] = []
    const recall: Objective['recall'] = ({ key, rows }, { values }) => {
      recalled.push(key.iteration)
      expect(values.slice(0, rows).every(Number.isFinite)).toBe(true)
    }
    const bowl = { ...countedBowl(), recall }
    expect(await complete('run', bowl, {}, { files, fromStart })).toEqual({ ...whole, ...timeless })
    expect(recalled).toEqual(told)
  })

  /** Remembers the iterations it was asked in, and how often it was. */
  const remembering = (): Objective & { iterations: number[] } => {
    const bowl = countedBowl()
    const iterations: number[] = []
    return {
      ...bowl,
      iterations,
      evaluate(queries, into, signal) {
        iterations.push(queries.key.iteration)
        return bowl.evaluate(queries, into, signal)
      },
      recall: ({ key }) => void iterations.push(key.iteration),
      save: () => ({ vectors: { iterations: Float64Array.from(iterations) }, state: { count: iterations.length } }),
      restore: ({ vectors, state }) => {
        iterations.splice(0, Infinity, ...(vectors.iterations ?? []))
        expect(state.count).toBe(iterations.length)
      },
    }
  }

  test('and can save it continues from what the checkpoint holds, and is told the records behind it', async () => {
    const files = memoryFiles()
    const store = await openOrCreate('run', { files })
    const before = remembering()
    const session = begun(store, before, 4)
    await store.save(session)
    const recorded = store.journaled(before)
    for (let i = 0; i < 2; i++) turn(session, recorded, store)
    await store.close()
    const after = remembering()
    expect(await complete('run', after, {}, { files })).toEqual({ ...whole, ...timeless })
    const alone = remembering()
    await complete('run', alone, {}, { files: memoryFiles() })
    expect(after.iterations).toEqual(alone.iterations)
  })

  test('but finds nothing of it in the checkpoint is refused, and goes through the journal instead', async () => {
    const files = memoryFiles()
    const store = await openOrCreate('run', { files })
    await store.save(begun(store, countedBowl(), 4))
    await store.close()
    await expect(complete('run', remembering(), {}, { files })).rejects.toThrow(
      'run: its checkpoint does not hold what the objective remembers of its answers; open the run with fromStart',
    )
    expect(await complete('run', remembering(), {}, { files, fromStart: true })).toEqual({ ...whole, ...timeless })
  })
})

describe('an abort', () => {
  test('during an evaluation leaves it unrecorded; the run goes on as if nothing had been', async () => {
    const files = memoryFiles()
    const controller = new AbortController()
    const bowl = countedBowl()
    const slow: Objective = {
      dim: 3,
      async evaluate(queries, into, signal) {
        if (queries.key.iteration === 7) controller.abort()
        await null
        bowl.evaluate(queries, into, signal)
      },
    }
    const store = await openOrCreate('run', { files })
    const result = await driveRun(store, slow, start, settings, { signal: controller.signal })
    expect(result).toMatchObject({ status: 'aborted', iterations: 6, queries: 30 })
    await store.close()
    const again = await openRun('run', { files })
    expect(again.result).toEqual(result)
    expect([again.checkpoint?.iteration, again.unread]).toEqual([6, 0])
    await again.close()
    expect(await complete('run', bowl, {}, { files })).toEqual({ ...whole, ...timeless })
    expect(bowl.asked).toBeGreaterThanOrEqual(116)
    expect(bowl.asked).toBeLessThanOrEqual(116 + 5)
  })

  test('during a synchronous evaluation leaves its half of the answers unrecorded, too', async () => {
    const files = memoryFiles()
    const controller = new AbortController()
    const bowl = countedBowl(0, (asked) => {
      if (asked === 33) controller.abort()
    })
    const store = await openOrCreate('run', { files })
    const result = await driveRun(store, bowl, start, settings, { signal: controller.signal })
    expect(result).toMatchObject({ status: 'aborted', iterations: 6, queries: 30 })
    await store.close()
    expect(await complete('run', bowl, {}, { files })).toEqual({ ...whole, ...timeless })
    expect(bowl.asked).toBe(116 + 3)
  })

  test('in the middle of an iteration saves records, but no checkpoint that would forget them', async () => {
    const files = memoryFiles()
    const store = await openOrCreate('run', { files })
    // The third batch loses its center, which is then asked again.
    const given = { failures: 'skip' }
    const session = begun(
      store,
      countedBowl(0, (asked) => {
        if (asked === 11) throw new Error('lost')
      }),
      3,
      given,
    )
    expect(session.latest?.iteration).toBe(2)
    session.stop('aborted')
    await store.save(session)
    expect(namesOf(files)).not.toContain('checkpoint-a')
    await store.finish(session.outcome as never, session)
    expect(namesOf(files)).not.toContain('checkpoint-a')
    await store.close()
    const rest = countedBowl(15)
    const expected = await complete(
      'run',
      countedBowl(0, (asked) => {
        if (asked === 11) throw new Error('lost')
      }),
      { failures: 'skip' },
      { files: memoryFiles() },
    )
    expect(await complete('run', rest, { failures: 'skip' }, { files })).toEqual({ ...expected, ...timeless })
    expect(rest.asked).toBe(expected.queries)
  })

  test('between iterations saves a checkpoint', async () => {
    const files = memoryFiles()
    const store = await openOrCreate('run', { files })
    const session = begun(store, countedBowl(), 3)
    await store.save(session)
    await store.close()
    const again = await openRun('run', { files })
    expect([again.checkpoint?.iteration, again.unread]).toEqual([3, 0])
    await again.close()
  })
})

describe('a run that failed', () => {
  test('asks the failed batch again when it goes on; its queries stay counted', async () => {
    const files = memoryFiles()
    const down = countedBowl(0, (asked) => {
      if (asked === 13) throw new Error('the server is down')
    })
    const failed = await complete('run', down, {}, { files })
    expect(failed).toMatchObject({
      status: 'failed',
      stopReason: 'objective-failed',
      iterations: 2,
      queries: 15,
      failures: { count: 1, first: 'Error: the server is down' },
      error: expect.stringMatching(/^a query failed \(iteration 3, row 2 of 5\): Error: the server is down/),
    })
    const up = countedBowl()
    const result = await complete('run', up, {}, { files })
    expect(result).toMatchObject({ status: 'finished', queries: 116, iterations: 22 })
    expect(up.asked).toBe(116 - 15)
    expect(result.last.point).toEqual(
      (await complete('run', countedBowl(), { maxIterations: 22 }, { files: memoryFiles() })).last.point,
    )
  })
})

describe('a run that failed while it waited', () => {
  const down = functionObjective(
    async (x, { iteration, row }) => {
      if (iteration === 3 && row === 2)
        throw new ZerothError('query-failed', 'did not answer within 9 ms', { timedOut: true })
      return Array.from(x).reduce((sum, each, i) => sum + (i + 1) * each * each, 0)
    },
    { dim: start.length },
  )

  test('has not asked the rows behind one that was late, and asks the whole batch when it goes on', async () => {
    const files = memoryFiles()
    const failed = await complete('run', down, {}, { files })
    expect(failed).toMatchObject({ status: 'failed', iterations: 2, queries: 13, failures: { count: 1 } })
    const up = countedBowl()
    const result = await complete('run', up, { maxIterations: 22 }, { files })
    expect(up.asked).toBe(20 * 5 + 1)
    expect(result).toMatchObject({ status: 'finished', queries: 13 + up.asked })
    const sound = await complete('run', countedBowl(), { maxIterations: 22 }, { files: memoryFiles() })
    expect(result.hash).toBe(sound.hash)
  })

  test('comes to the same end where it was killed before that was written, and asks nothing', async () => {
    const files = memoryFiles()
    const failed = await complete('run', down, {}, { files: memoryFiles() })
    const store = await openOrCreate('run', { files })
    await runToEnd(createSession(start, settings), store.journaled(down))
    await store.close()
    const up = countedBowl()
    expect(await complete('run', up, {}, { files })).toEqual({ ...failed, ...timeless })
    expect(up.asked).toBe(0)
  })
})

describe('an extended run', () => {
  const more = { maxQueries: 200 }

  async function extended(files: MemoryFiles, objective: Objective) {
    const store = await openRun('run', { files })
    await store.extend(more)
    expect(store.meta).toMatchObject({ spec: more, extensions: [{ records: 24, changes: more }] })
    await store.close()
    return complete('run', objective, more, { files })
  }

  test('goes the way of a run that had the larger budget at once; the query of its first end stays counted', async () => {
    const files = memoryFiles()
    const bowl = countedBowl()
    await complete('run', bowl, {}, { files })
    const result = await extended(files, bowl)
    const atOnce = await complete('run', countedBowl(), more, { files: memoryFiles() })
    expect(result).toMatchObject({ queries: 197, iterations: 39, hash: atOnce.hash, last: atOnce.last })
    expect([bowl.asked, atOnce.queries]).toEqual([197, 196])
  })

  test('killed before any batch ends with the same bits', async () => {
    const files = memoryFiles()
    await complete('run', countedBowl(), {}, { files })
    const copies: MemoryFiles[] = []
    const bowl = countedBowl()
    const { objective, clock } = clockFor(bowl, 1000)
    const filmed: Objective = {
      ...objective,
      evaluate: (...batch) => {
        copies.push(files.copy())
        return objective.evaluate(...batch)
      },
    }
    const store = await openRun('run', { files, clock })
    await store.extend(more)
    const expected = await driveRun(store, filmed, start, { ...settings, ...more })
    await store.close()
    expect(copies.length).toBe(17)
    for (const copy of copies) {
      expect(await complete('run', countedBowl(), more, { files: copy })).toEqual({ ...expected, ...timeless })
    }
  })

  test('survives one damaged checkpoint, and refuses to begin at its beginning without any', async () => {
    const files = memoryFiles()
    await complete('run', countedBowl(), {}, { files })
    const store = await openRun('run', { files })
    await store.extend(more)
    await store.close()
    files.unlink('run/checkpoint-a')
    expect(await complete('run', countedBowl(), more, { files: files.copy() })).toMatchObject({ queries: 197 })
    files.unlink('run/checkpoint-b')
    await expect(openRun('run', { files })).rejects.toThrow(
      'run can only continue from a checkpoint that covers 24 records or more, and has none that is sound and fits its journal (24 records)',
    )
  })

  test('may be extended by the store that saw its end, and more than once', async () => {
    const files = memoryFiles()
    const store = await openOrCreate('run', { files })
    await expect(store.extend(more)).rejects.toThrow('run has not ended: let it finish before you extend it')
    const bowl = countedBowl()
    await driveRun(store, bowl, start, settings)
    for (const maxQueries of [150, 200]) {
      await store.extend({ maxQueries })
      expect(store.result).toBeUndefined()
      await driveRun(store, bowl, start, { ...settings, maxQueries })
    }
    expect(store.result).toMatchObject({ status: 'finished', queries: bowl.asked })
    await store.close()
    expect((await openRun('run', { files })).meta.extensions).toMatchObject([{ records: 24 }, { records: 31 }])
  })

  test('is not mistaken for ended where it was killed between its extension and the removal of its result', async () => {
    const files = memoryFiles()
    await complete('run', countedBowl(), {}, { files })
    const result = files.content('run/result.json').slice()
    const store = await openRun('run', { files })
    await store.extend(more)
    await store.close()
    files.put('run/result.json', result)
    expect(await complete('run', countedBowl(), more, { files })).toMatchObject({ queries: 197 })
  })
})

describe('a store that failed', () => {
  test('ends the run under every policy, and touches the files no more', async () => {
    const files = memoryFiles()
    const faulty = faultyFiles(files, 'write', 9, 'ENOSPC')
    const store = await openOrCreate('run', { files: faulty })
    const running = driveRun(store, countedBowl(), start, { ...settings, failures: 'skip' })
    await expect(running).rejects.toThrow('cannot write run/journal: ENOSPC')
    const size = files.content('run/journal').length
    const session = createSession(start, settings)
    await expect(store.save(session)).rejects.toThrow()
    expect(() => store.journaled(countedBowl()).evaluate(session.ask(), session.answers())).toThrow('ENOSPC')
    await store.close()
    expect(files.content('run/journal')).toHaveLength(size)
    expect(namesOf(files)).not.toContain('lock')
  })

  test('also where its lock was taken away', async () => {
    const files = memoryFiles()
    const { objective, clock } = clockFor(countedBowl(), 1000)
    const store = await openOrCreate('run', { files, clock })
    files.unlink('run/lock')
    await expect(driveRun(store, objective, start, settings)).rejects.toThrow('run/lock was deleted')
    await store.close()
  })
})

describe('checkpoints', () => {
  test('are at least 2 s apart and take at most a fiftieth of the time', async () => {
    let now = 0
    const files = memoryFiles()
    const written: number[] = []
    const slowDisk = {
      ...files,
      rename: (from: string, to: string) => {
        if (to.includes('checkpoint')) {
          now += 100
          written.push(now)
        }
        files.rename(from, to)
      },
    }
    const store = await openOrCreate('run', { files: slowDisk, clock: () => now })
    const bowl = countedBowl()
    const evaluate: Objective['evaluate'] = (...batch) => {
      now += 500
      return bowl.evaluate(...batch)
    }
    await driveRun(store, { dim: 3, evaluate }, start, { ...settings, maxQueries: 500 })
    // 100 iterations of half a second: the first after 2 s, the others 5 s apart at least, one at the end.
    expect(written).toEqual([2100, 7200, 12300, 17400, 22500, 27600, 32700, 37800, 42900, 48000, 51100])
    await store.close()
  })

  test('of large runs wait longer for the first one', async () => {
    let now = 0
    const store = await openOrCreate('run', { files: memoryFiles(), clock: () => now })
    const dim = 1_000_000
    const session = createSession(new Float64Array(dim), {
      ...settings,
      solver: zoSGD({ directions: 1, learningRate: 1 }),
    })
    const objective = store.journaled(functionObjective(() => now, { dim }))
    const save = vi.spyOn(session, 'checkpoint')
    for (const time of [3000, 9000]) {
      now = time
      turn(session, objective, store)
      expect(save).not.toHaveBeenCalled()
    }
    // 40 MB at 4 MB a second.
    now = 10_000
    turn(session, objective, store)
    expect(save).toHaveBeenCalledTimes(1)
    await store.close()
  })
})
