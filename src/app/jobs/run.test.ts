import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { cliFolder, smallSpec } from '../../../test/cli/cli-folder.ts'
import { insteadOf, testStage } from '../../../test/jobs/stage.ts'
import { type Objective, ZerothError } from '../../index.ts'
import { explainError } from '../cli/terminal.ts'
import { compileSpec, type JsonObject } from '../spec/index.ts'
import { openRun as openStore, type RunResult, readRun } from '../store/index.ts'
import type { JobEvent, Progress } from './events.ts'
import type { Job, Limits } from './job.ts'
import { createStore, lockRun, type MeterOptions, openRun, performRun, progressMeter, resumeRun } from './run.ts'

const path = cliFolder()

/** Performs a work; returns what it found. */
async function performed(opening: Promise<Job<RunResult>>): Promise<RunResult> {
  const run = await opening
  for await (const _ of run.perform());
  return run.result() as RunResult
}

/** Brings the run of a spec to its end: begins it, or resumes the one that is there. */
const perform = (id: string, spec: JsonObject) => performed(openRun(path(id), spec))
const resume = (id: string, limits?: Limits) => performed(resumeRun(path(id), limits))

/** Begins a run and interrupts it after some iterations. */
async function interrupted(id: string, spec: JsonObject, after: number): Promise<RunResult> {
  const stage = testStage()
  return (await lockRun(path(id), insteadOf(compileSpec(spec), after, stage.stop))).perform(stage)
}

/** A module that leaves a mark for every query it is asked. */
const counted = path('counted.mjs')
const marks = path('marks')
writeFileSync(
  counted,
  `import { appendFileSync } from 'node:fs'
   export default (x) => { appendFileSync(${JSON.stringify(marks)}, '.'); return x.reduce((sum, v) => sum + (v - 1) ** 2, 0) }`,
)
const countedSpec = smallSpec({ objective: { name: 'module', module: counted } })
const asked = () => readFileSync(marks, 'utf8').length

/** Leaves a run as a killed process would: there is no result. */
async function killed(id: string, iterations: number): Promise<void> {
  const died = new ZerothError('storage-failed', 'killed')
  const compiled = insteadOf(compileSpec(countedSpec), iterations, () => {
    throw died
  })
  await expect((await lockRun(path(id), compiled)).perform(testStage())).rejects.toBe(died)
}

test('a run whose module has changed says so when it is resumed, and a finished one does not', async () => {
  const module = path('changing.mjs')
  const write = (what: string): void =>
    writeFileSync(module, `export default (x) => x.reduce((sum, v) => sum + ${what}, 0)`)
  write('v * v')
  const spec = smallSpec({ objective: { name: 'module', module } })
  await interrupted('changed', spec, 3)
  const warnings = async (): Promise<string[]> => {
    const said: string[] = []
    for await (const event of (await resumeRun(path('changed'))).perform()) {
      if (event.type === 'warning' && event.code === 'settings') said.push(event.message)
    }
    return said
  }
  write('v ** 4')
  expect(await warnings()).toEqual([
    'the files of the objective (module changing.mjs) have changed since the run began: its answers may not fit together',
  ])
  expect(await warnings()).toEqual([])
})

describe('a run', () => {
  test('that is there is resumed, one that is not is begun, and both end alike', async () => {
    writeFileSync(marks, '')
    const whole = await perform('whole', countedSpec)
    const queries = asked()
    expect(whole).toMatchObject({ status: 'finished', stopReason: 'max-queries', queries })
    const cut = await interrupted('cut', countedSpec, 5)
    expect(cut).toMatchObject({ status: 'aborted', iterations: 5 })
    const { seconds: _, ...rest } = await perform('cut', countedSpec)
    const { seconds: __, ...same } = whole
    expect(rest).toEqual(same)
    expect(asked()).toBe(2 * queries)
  })

  test('whose method cannot begin leaves nothing behind, and nothing to resume', async () => {
    const folder = path('unsized')
    const failed = perform('unsized', smallSpec({ solver: { name: 'square' } }))
    const error = await failed.catch((each: unknown) => each)
    expect(error).toMatchObject({ code: 'invalid-option', run: undefined })
    expect((error as Error).message).toMatch(/^square needs to know the size of the image/)
    expect(existsSync(folder)).toBe(false)
  })

  test('resumed while its module is away says so, and goes on as if nothing had been once it is back', async () => {
    const whole = await perform('whole-of-module', countedSpec)
    await killed('away', 4)
    renameSync(counted, path('elsewhere.mjs'))
    await expect(resume('away')).rejects.toThrow(`there is no module ${counted}`)
    renameSync(path('elsewhere.mjs'), counted)
    expect(await resume('away')).toMatchObject({
      status: 'finished',
      hash: whole.hash,
      queries: whole.queries,
      failures: { count: 0 },
    })
  })

  test('that has finished is only read', async () => {
    const before = asked()
    const { result } = await readRun(path('whole'))
    expect(await resume('whole')).toEqual(result)
    expect(asked()).toBe(before)
  })

  test('of another spec is refused', async () => {
    const other = smallSpec({ seed: 4 })
    await expect(perform('whole', other)).rejects.toThrow('is another run: its objective is')
    await expect(createStore(path('whole'), other)).rejects.toMatchObject({ code: 'invalid-option' })
  })

  test('whose spec cannot be made any more says so with its name', async () => {
    const spec = smallSpec({ objective: 'quadratic' })
    await (await createStore(path('gone'), { ...spec, solver: { name: 'no-solver' } })).close()
    await expect(resume('gone')).rejects.toThrow(`${path('gone')}: spec.solver must be a solver`)
  })
})

describe('other limits', () => {
  test('of a finished run let it go on as if it had had them, but for the queries of its first end', async () => {
    const direct = await perform('direct', { ...countedSpec, maxQueries: 200 })
    const extended = await resume('whole', { maxQueries: 200 })
    expect(extended.stopReason).toBe('max-queries')
    expect(extended.queries).toBeGreaterThan(190)
    expect(extended.iterations).toBeGreaterThanOrEqual(direct.iterations - 1)
  })

  test('of a run that was killed hold from where it stood, and nothing is asked twice', async () => {
    writeFileSync(marks, '')
    const direct = await perform('long', { ...countedSpec, maxQueries: 200 })
    const needed = asked()
    writeFileSync(marks, '')
    await killed('killed', 10)
    const result = await resume('killed', { maxQueries: 200 })
    expect(result.hash).toBe(direct.hash)
    expect(result.queries).toBe(direct.queries)
    expect(asked()).toBe(needed)
    expect((await readRun(path('killed'))).meta.spec.maxQueries).toBe(200)
  })

  test('that a killed run has passed already end it where it stands', async () => {
    writeFileSync(marks, '')
    await killed('passed', 10)
    const before = asked()
    const result = await resume('passed', { maxQueries: 20 })
    expect(result).toMatchObject({ status: 'finished', stopReason: 'max-queries', iterations: 10 })
    expect(asked() - before).toBeLessThanOrEqual(1)
  })

  test('of a run that was interrupted hold as well', async () => {
    await interrupted('stopped', countedSpec, 7)
    const result = await resume('stopped', { maxQueries: 200 })
    expect(result.hash).toBe((await readRun(path('long'))).result?.hash)
  })

  test('of a run that was killed in the middle of an iteration have to wait', async () => {
    const compiled = compileSpec(smallSpec({ failures: 'skip' }))
    const store = await createStore(path('middle'), compiled.resolved)
    const full = new ZerothError('storage-failed', 'the disk is full')
    const evaluate: Objective['evaluate'] = (queries, into, signal) => {
      // The point of iteration 5 fails; it is asked again alone, and that never ends well.
      if (queries.rows === 1) throw full
      const work = compiled.objective.evaluate(queries, into, signal)
      if (queries.key.iteration === 5) into.failed[0] = 1
      return work
    }
    const broken = { ...compiled, objective: { dim: 3, evaluate } }
    await expect(performRun(broken, store, { ...testStage(), resumed: false })).rejects.toBe(full)
    await expect(resume('middle', { maxQueries: 200 })).rejects.toThrow(
      'was interrupted in the middle of an iteration: resume it without other limits first',
    )
    expect(await resume('middle')).toMatchObject({ status: 'finished' })
    expect((await resume('middle', { maxQueries: 200 })).queries).toBeGreaterThan(190)
  })

  test('that a run has already change nothing', async () => {
    const folder = path('long')
    const before = await readRun(folder)
    await resume('long', { maxQueries: 200 })
    const { meta, result } = await readRun(folder)
    expect(result).toEqual(before.result)
    expect(meta.extensions).toEqual([])
  })
})

test('a damaged journal is told, not passed over', async () => {
  await killed('damaged', 6)
  const file = join(path('damaged'), 'journal')
  const bytes = readFileSync(file)
  bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 255
  writeFileSync(file, bytes)
  appendFileSync(marks, '')
  const store = await openStore(path('damaged'))
  await store.close()
  expect(store.notes.join()).toMatch(/^journal was damaged: \d+ records after the beginning kept/)
})

test('says what happens: begun, on its way, and how it ended', async () => {
  const run = await openRun(path('told'), smallSpec())
  const events: JobEvent[] = []
  for await (const event of run.perform()) events.push(event)
  expect(events[0]).toMatchObject({ type: 'started', work: 'told', kind: 'run', resumed: false, seq: 0 })
  expect(events[0]).toHaveProperty('budget.maxQueries', 100)
  expect(events.at(-2)).toMatchObject({ type: 'progress', iterations: 24, queries: 96 })
  expect(events.at(-1)).toMatchObject({ type: 'finished', status: 'finished', reason: 'max-queries' })
  const again: JobEvent[] = []
  for await (const event of run.perform()) again.push(event)
  expect(again.map(({ type }) => type)).toEqual(['started', 'finished'])
  expect(again[0]).toMatchObject({ resumed: true })
})

test('leaving the loop saves the run, which then ends as if nothing had been', async () => {
  const slow = path('slow.mjs')
  writeFileSync(
    slow,
    'export default async (x) => { await new Promise((done) => setTimeout(done, 1)); return x[0] ** 2 }',
  )
  const spec = smallSpec({ objective: { name: 'module', module: slow } })
  const whole = await perform('slow', spec)
  const left = await openRun(path('left'), spec)
  for await (const event of left.perform()) if (event.type === 'progress') break
  expect(left.result()).toMatchObject({ status: 'aborted' })
  expect(existsSync(path('left/lock'))).toBe(false)
  expect((await perform('left', spec)).hash).toBe(whole.hash)
})

const begin = (id: string) => createStore(path(id), smallSpec())
const stage = () => ({ ...testStage(), resumed: false })

test('saves every query where the spec asks for that', async () => {
  const compiled = compileSpec(smallSpec({ log: true }))
  const { queries } = await performRun(compiled, await begin('logged'), stage())
  expect(readFileSync(path('logged/calls.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(queries)
})

test('an objective that hangs is left where it is, and what there was is saved', async () => {
  const compiled = compileSpec(smallSpec())
  const watching = stage()
  let batches = 0
  const objective = {
    dim: 3,
    evaluate(...[queries, into, signal]: Parameters<typeof compiled.objective.evaluate>) {
      if (++batches < 4) return compiled.objective.evaluate(queries, into, signal)
      queueMicrotask(watching.stop)
      return new Promise<void>(() => undefined)
    },
    close: () => new Promise<void>(() => undefined),
  }
  const result = await performRun({ ...compiled, objective }, await begin('hanging'), watching)
  expect(result).toMatchObject({ status: 'aborted', iterations: 3 })
  expect(existsSync(path('hanging/lock'))).toBe(false)
})

test('what cannot be closed is told, and the files are closed all the same', async () => {
  const compiled = compileSpec(smallSpec())
  const close = () => Promise.reject(new Error('it would not close'))
  const objective = { ...compiled.objective, close }
  await expect(performRun({ ...compiled, objective }, await begin('open'), stage())).rejects.toThrow('would not close')
  expect(existsSync(path('open/lock'))).toBe(false)
})

test('an error that ends a run says which run it was', async () => {
  const compiled = compileSpec(smallSpec())
  const failure = new ZerothError('storage-failed', 'the disk is full')
  const objective = { dim: 3, evaluate: () => Promise.reject(failure) }
  const ended = performRun({ ...compiled, objective }, await begin('broken'), stage())
  await expect(ended).rejects.toBe(failure)
  expect(explainError(failure).run).toBe(path('broken'))
})

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const iteration = (i: number) => ({ iteration: i, queries: 10 * i, value: 1 / i, best: 1 / i, seconds: i / 1000 })

function metered(options: Partial<MeterOptions> = {}) {
  const reports: Progress[] = []
  const meter = progressMeter({ emit: (progress) => reports.push(progress), budget: {}, ...options })
  /** Iterations from one to another, with so many milliseconds in front of each. */
  const iterate = (from: number, to: number, pause: number, isReplayed = false): void => {
    for (let i = from; i <= to; i++) {
      vi.advanceTimersByTime(pause)
      meter.record(iteration(i), isReplayed)
    }
  }
  return { reports, meter, iterate }
}

test('the first iteration is reported at once, later ones ten times a second at most', () => {
  const { reports, iterate } = metered()
  iterate(1, 1001, 1)
  expect(reports.map(({ iterations }) => iterations)).toEqual([1, 101, 201, 301, 401, 501, 601, 701, 801, 901, 1001])
})

test('slow iterations are reported one by one, with their value and the best one', () => {
  const { reports, iterate } = metered()
  iterate(1, 3, 250)
  expect(reports).toMatchObject([1, 2, 3].map((i) => ({ iterations: i, queries: 10 * i, value: 1 / i, best: 1 / i })))
})

test('flushing reports what was held back, and nothing twice', () => {
  const { reports, meter, iterate } = metered()
  meter.flush()
  expect(reports).toEqual([])
  iterate(1, 5, 1)
  meter.flush()
  meter.flush()
  expect(reports.map(({ iterations }) => iterations)).toEqual([1, 5])
})

test('who evaluates elsewhere is reported at once, before the first iteration, too, and stays in later reports', () => {
  const { reports, meter, iterate } = metered()
  const [few, more] = [2, 3].map((workers) => ({ workers, waiting: 5, active: workers, failed: 0 }))
  meter.counted(few as never)
  iterate(1, 1, 200)
  meter.counted(more as never)
  expect(reports).toMatchObject([
    { iterations: 0, queries: 0, queue: few },
    { iterations: 1, queries: 10, queue: few },
    { iterations: 1, queries: 10, queue: more, tail: [] },
  ])
})

test('a tail holds every iteration since the last report while they are few, and 64 at most', () => {
  const { reports, meter, iterate } = metered({ interval: Infinity })
  iterate(1, 63, 0)
  meter.flush()
  expect(reports[0]?.tail.map((each) => each.iteration)).toEqual(Array.from({ length: 63 }, (_, i) => i + 1))
  iterate(64, 5000, 0)
  meter.flush()
  const tail = reports[1]?.tail ?? []
  expect(tail.length).toBeLessThanOrEqual(64)
  expect(tail.length).toBeGreaterThan(16)
  expect(tail.at(-1)).toMatchObject({ iteration: 5000, seconds: 5 })
  expect(tail[0]?.iteration).toBeGreaterThan(63)
})

test('the pace counts from where a run was resumed, not what was read again', () => {
  const { reports, iterate } = metered({ budget: { maxQueries: 6000 } })
  iterate(1, 500, 0, true)
  iterate(501, 510, 100)
  expect(reports.at(-1)).toMatchObject({ iterations: 510, queries: 5100, rate: 100 })
  expect(reports.at(-1)?.left).toBeCloseTo(9000)
})

test('there is no pace, and no time left, before a second iteration', () => {
  const { reports, iterate } = metered({ budget: { maxQueries: 100 } })
  iterate(1, 1, 5)
  expect(reports[0]).toMatchObject({ rate: 0, left: undefined })
})

test.each<[string, Partial<MeterOptions>, number | undefined]>([
  ['queries', { budget: { maxQueries: 1000, maxIterations: 1000 } }, 9000],
  ['iterations', { budget: { maxQueries: 1000, maxIterations: 20 } }, 1000],
  ['its own time', { budget: { maxQueries: 1000, maxIterations: 20 }, timeLeft: () => 700 }, 700],
  ['time that is up', { budget: {}, timeLeft: () => -5 }, 0],
  ['no limit at all', {}, undefined],
])('the limit that is reached first says how much time is left: %s', (_, options, left) => {
  const { reports, iterate } = metered(options)
  iterate(1, 10, 100)
  if (left === undefined) expect(reports.at(-1)?.left).toBeUndefined()
  else expect(reports.at(-1)?.left).toBeCloseTo(left)
})
