import { expect, test } from 'vitest'
import { memoryFiles } from '../../../test/run-store/memory-files.ts'
import { clockFor, complete, countedBowl, openOrCreate, settings, start } from '../../../test/run-store/stored-run.ts'
import { driveRun } from './drive-run.ts'

const { maxQueries: _, ...unlimited } = settings

test('the time of a run is that of all its processes together', async () => {
  const files = memoryFiles()
  const run = async (abortAfter: number) => {
    const controller = new AbortController()
    const { objective, clock } = clockFor(countedBowl(), 300)
    const store = await openOrCreate('run', { files, clock })
    const onIteration = ({ iteration }: { iteration: number }) => iteration === abortAfter && controller.abort()
    const control = { signal: controller.signal, onIteration }
    const result = await driveRun(store, objective, start, { ...unlimited, maxTime: 3000 }, control)
    await store.close()
    return result
  }
  expect(await run(4)).toMatchObject({ status: 'aborted', iterations: 4, seconds: 1.2 })
  expect(await run(7)).toMatchObject({ status: 'aborted', iterations: 7, seconds: 2.1 })
  expect(await run(Infinity)).toMatchObject({ stopReason: 'max-time', iterations: 10, seconds: 3 })
})

test('what onIteration returns, also later, can stop the run', async () => {
  const store = await openOrCreate('run', { files: memoryFiles() })
  const seen: number[] = []
  const onIteration = async ({ iteration }: { iteration: number }) => {
    seen.push(iteration)
    return iteration === 3 ? 'stop' : undefined
  }
  const result = await driveRun(store, countedBowl(), start, settings, { onIteration })
  expect(seen).toEqual([1, 2, 3])
  expect(result).toMatchObject({ status: 'finished', stopReason: 'callback', iterations: 3 })
  await store.close()
})

test('a run that onIteration had stopped, but was killed before it could say so, stops there again', async () => {
  const files = memoryFiles()
  const onIteration = ({ iteration }: { iteration: number }) => (iteration === 3 ? 'stop' : undefined)
  const run = async () => {
    const bowl = countedBowl()
    const store = await openOrCreate('run', { files })
    const result = await driveRun(store, bowl, start, settings, { onIteration })
    await store.close()
    return { ...result, seconds: 0, asked: bowl.asked }
  }
  const first = await run()
  files.unlink('run/result.json')
  expect(await run()).toEqual({ ...first, asked: 0 })
})

test('a signal that fired before asks nothing and leaves a run that can go on', async () => {
  const files = memoryFiles()
  const bowl = countedBowl()
  const store = await openOrCreate('run', { files })
  const result = await driveRun(store, bowl, start, settings, { signal: AbortSignal.abort() })
  expect([result.status, result.queries, bowl.asked]).toEqual(['aborted', 0, 0])
  await store.close()
  expect(await complete('run', bowl, {}, { files })).toMatchObject({ status: 'finished', queries: 116 })
})
