import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  about,
  complete,
  countedBowl,
  newFolder,
  openOrCreate,
  settings,
  start,
} from '../../../test/run-store/stored-run.ts'
import { driveRun } from './drive-run.ts'
import { createRun } from './open-run.ts'
import { listRuns, readOverview, readRun } from './read-run.ts'
import { traceRecords } from './read-trace.ts'

test('a finished run has its result and its whole trace', async () => {
  const folder = newFolder()
  const result = await complete(folder, countedBowl())
  const run = await readRun(folder)
  expect(run).toMatchObject({ folder, meta: about, status: 'finished', result, problems: [] })
  const { iteration, queries, value, best, seconds } = run.trace
  expect(iteration).toEqual(Float64Array.from({ length: 23 }, (_, i) => i + 1))
  expect(queries).toEqual(iteration.map((each) => 5 * each))
  expect([value[0], best.at(-1)]).toEqual([9.75, Math.min(...value)])
  expect([...seconds].every((each, i) => each >= (seconds[i - 1] ?? 0))).toBe(true)
})

test('a run is running while a process has it, then aborted, interrupted or failed', async () => {
  const folder = newFolder()
  const statusNow = async () => (await readRun(folder)).status
  const store = await openOrCreate(folder)
  expect(await statusNow()).toBe('running')
  await store.close()
  expect(await statusNow()).toBe('interrupted')
  const again = await openOrCreate(folder)
  await driveRun(again, countedBowl(), start, settings, { signal: AbortSignal.abort() })
  expect(await statusNow()).toBe('running')
  await again.close()
  expect(await statusNow()).toBe('aborted')
  const third = await openOrCreate(folder)
  third.journaled(countedBowl())
  await third.close()
  expect(await statusNow()).toBe('interrupted')
  const broken = countedBowl(0, () => {
    throw new Error('down')
  })
  await complete(folder, broken)
  expect(await readRun(folder)).toMatchObject({ status: 'failed', result: { error: expect.stringMatching('down') } })
})

test('what is damaged beside meta.json is left out, and said', async () => {
  const folder = newFolder()
  await complete(folder, countedBowl())
  const change = (name: string, edit: (text: string) => string) => {
    const path = join(folder, name)
    writeFileSync(path, edit(readFileSync(path, 'utf8')))
  }
  change('result.json', (text) => text.replace('"queries": 116', '"queries": 115'))
  change('trace.jsonl', (text) => text.replace('"iteration":3', '"iteration":x'))
  writeFileSync(join(folder, 'lock'), 'x')
  const run = await readRun(folder)
  expect([run.status, run.result, run.trace.iteration.length]).toEqual(['interrupted', undefined, 22])
  expect(run.problems).toEqual([
    `${join(folder, 'result.json')} does not fit its sha256: it was damaged or changed by hand`,
    expect.stringMatching(`^${join(folder, 'lock')} is damaged`),
    '1 line of trace.jsonl is damaged and left out',
  ])
})

test('a trace can be thinned, or read one iteration after the other', async () => {
  const folder = newFolder()
  await complete(folder, countedBowl())
  const { trace, traceLength } = await readRun(folder)
  const thin = await readRun(folder, { points: 9 })
  expect([traceLength, thin.traceLength, trace.iteration.length]).toEqual([23, 23, 23])
  expect(thin.trace.iteration.length).toBeLessThanOrEqual(9)
  expect([thin.trace.iteration[0], thin.trace.iteration.at(-1)]).toEqual([1, 23])
  expect(Array.from(traceRecords(folder), ({ best }) => best)).toEqual([...trace.best])
  expect([...traceRecords('/nowhere')]).toEqual([])
  await expect(readRun(folder, { points: 8 })).rejects.toThrow('readRun: points must be at least 9, got 8')
})

test('an overview has the last line of the trace', async () => {
  const folder = newFolder()
  const result = await complete(folder, countedBowl())
  const { trace } = await readRun(folder)
  const [best, seconds] = [trace.best.at(-1), trace.seconds.at(-1)]
  expect(await readOverview(folder)).toMatchObject({
    folder,
    status: 'finished',
    result,
    iterations: 23,
    best,
    seconds,
  })
  writeFileSync(join(folder, 'trace.jsonl'), '')
  expect(await readOverview(folder)).toMatchObject({ iterations: 0, queries: 0, best: Number.NaN, seconds: 0 })
})

test('what is not a run is refused', async () => {
  await expect(readRun('/nowhere')).rejects.toThrow('/nowhere is not a run: it has no meta.json')
})

test('runs are listed oldest first, with how they stand; everything else is passed over', async () => {
  const root = newFolder()
  const second = await createRun(join(root, 'b'), { ...about, id: 'second', created: '2026-01-02' })
  await driveRun(second, countedBowl(), start, settings)
  await second.close()
  const third = await createRun(join(root, 'a'), { ...about, id: 'third', created: '2026-01-03' })
  const stopped = new AbortController()
  const onIteration = ({ iteration }: { iteration: number }) => {
    if (iteration === 4) throw new Error('killed')
  }
  const killed = driveRun(third, countedBowl(), start, settings, { onIteration, signal: stopped.signal })
  await expect(killed).rejects.toThrow('killed')
  await third.close()
  const first = await createRun(join(root, 'c'), { ...about, id: 'first', created: '2026-01-01' })
  mkdirSync(join(root, 'no-run'))
  mkdirSync(join(root, 'damaged'))
  writeFileSync(join(root, 'damaged', 'meta.json'), 'x')
  writeFileSync(join(root, 'file'), 'x')
  symlinkSync(join(root, 'a'), join(root, 'link'))
  const runs = await listRuns(root)
  await first.close()
  expect(runs).toEqual([
    { folder: join(root, 'damaged'), status: 'damaged', problem: expect.stringMatching('meta.json is not JSON') },
    expect.objectContaining({ id: 'first', status: 'running', iterations: 0, queries: 0, best: Number.NaN }),
    expect.objectContaining({
      id: 'second',
      status: 'finished',
      iterations: 23,
      queries: 116,
      folder: join(root, 'b'),
    }),
    expect.objectContaining({ id: 'third', status: 'interrupted', iterations: 4, queries: 20, spec: about.spec }),
  ])
})

test('a root that does not exist holds no runs; one that is a file is an error', async () => {
  const root = newFolder()
  expect(await listRuns(root)).toEqual([])
  writeFileSync(root, 'x')
  await expect(listRuns(root)).rejects.toThrow(`cannot list ${root}: ENOTDIR`)
})
