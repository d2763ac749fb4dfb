import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cliFolder, smallSpec } from '../../test/cli/cli-folder.ts'
import { silentWatcher } from '../../test/cli/silent-watcher.ts'
import { type Objective, ZerothError } from '../index.ts'
import { compileSpec } from '../spec/index.ts'
import { openRun, readRun } from '../trace/index.ts'
import { newLimits } from './limits.ts'
import { perform } from './perform.ts'
import { beginRun, runOrTakeUp, takeUp } from './run.ts'

const path = cliFolder()
const place = (id: string) => ({ folder: path(id), id })
const unchanged = () => ({})

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

/** Leaves a run as a killed process would: its lock names nobody, there is no result. */
async function killed(id: string, iterations: number): Promise<string> {
  const { folder } = place(id)
  const compiled = compileSpec(countedSpec)
  const store = await beginRun(place(id), compiled.resolved)
  let left = iterations
  const died = new Error('killed')
  const watching = silentWatcher()
  const follow: typeof watching.follow = () => ({
    record() {
      if (--left === 0) throw died
    },
    end: () => undefined,
  })
  await expect(perform(compiled, store, { ...watching, follow })).rejects.toBe(died)
  return folder
}

describe('a run', () => {
  test('that is there is taken up, one that is not is made, and both end alike', async () => {
    writeFileSync(marks, '')
    const whole = await runOrTakeUp(place('whole'), countedSpec, silentWatcher())
    const queries = asked()
    expect(whole).toMatchObject({ status: 'finished', stopReason: 'max-queries', queries })
    const cut = await runOrTakeUp(place('cut'), countedSpec, silentWatcher(5))
    expect(cut).toMatchObject({ status: 'aborted', iterations: 5 })
    const { seconds: _, ...rest } = await runOrTakeUp(place('cut'), countedSpec, silentWatcher())
    const { seconds: __, ...same } = whole
    expect(rest).toEqual(same)
    expect(asked()).toBe(2 * queries)
  })

  test('whose method cannot begin leaves nothing behind, and nothing to go on with', async () => {
    const { folder } = place('unsized')
    const failed = runOrTakeUp(place('unsized'), smallSpec({ solver: { name: 'square' } }), silentWatcher())
    const error = await failed.catch((each: unknown) => each)
    expect(error).toMatchObject({ code: 'invalid-option', run: undefined })
    expect((error as Error).message).toMatch(/^square needs to know the size of the image/)
    expect(existsSync(folder)).toBe(false)
  })

  test('that has finished is only read', async () => {
    const before = asked()
    const { result } = await readRun(place('whole').folder)
    expect(await takeUp(place('whole').folder, unchanged, silentWatcher())).toEqual(result)
    expect(asked()).toBe(before)
  })

  test('of another spec is refused', async () => {
    const other = smallSpec({ seed: 4 })
    await expect(runOrTakeUp(place('whole'), other, silentWatcher())).rejects.toThrow(
      'is another run: its objective is',
    )
    await expect(beginRun(place('whole'), other)).rejects.toMatchObject({ code: 'invalid-option' })
  })

  test('whose spec cannot be made any more says so with its name', async () => {
    const { folder } = place('gone')
    const spec = smallSpec({ objective: 'quadratic' })
    await (await beginRun(place('gone'), { ...spec, solver: { name: 'no-solver' } })).close()
    await expect(takeUp(folder, unchanged, silentWatcher())).rejects.toThrow(`${folder}: spec.solver must be a solver`)
  })
})

describe('other limits', () => {
  const larger = (maxQueries: number) => (spec: object) => newLimits({ ...spec }, { maxQueries })

  test('of a finished run let it go on as if it had had them, but for the queries of its first end', async () => {
    const direct = await runOrTakeUp(place('direct'), { ...countedSpec, maxQueries: 200 }, silentWatcher())
    const extended = await takeUp(place('whole').folder, larger(200), silentWatcher())
    expect(extended.stopReason).toBe('max-queries')
    expect(extended.queries).toBeGreaterThan(190)
    expect(extended.iterations).toBeGreaterThanOrEqual(direct.iterations - 1)
  })

  test('of a run that was killed hold from where it stood, and nothing is asked twice', async () => {
    writeFileSync(marks, '')
    const direct = await runOrTakeUp(place('long'), { ...countedSpec, maxQueries: 200 }, silentWatcher())
    const needed = asked()
    writeFileSync(marks, '')
    const folder = await killed('killed', 10)
    const result = await takeUp(folder, larger(200), silentWatcher())
    expect(result.hash).toBe(direct.hash)
    expect(result.queries).toBe(direct.queries)
    expect(asked()).toBe(needed)
    expect((await readRun(folder)).meta.spec.maxQueries).toBe(200)
  })

  test('that a killed run has passed already end it where it stands', async () => {
    writeFileSync(marks, '')
    const folder = await killed('passed', 10)
    const before = asked()
    const result = await takeUp(folder, larger(20), silentWatcher())
    expect(result).toMatchObject({ status: 'finished', stopReason: 'max-queries', iterations: 10 })
    expect(asked() - before).toBeLessThanOrEqual(1)
  })

  test('of a run that was interrupted hold as well', async () => {
    const { folder } = place('stopped')
    await runOrTakeUp(place('stopped'), countedSpec, silentWatcher(7))
    const result = await takeUp(folder, larger(200), silentWatcher())
    expect(result.hash).toBe((await readRun(place('long').folder)).result?.hash)
  })

  test('of a run that was killed in the middle of an iteration have to wait', async () => {
    const compiled = compileSpec(smallSpec({ failures: 'skip' }))
    const store = await beginRun(place('middle'), compiled.resolved)
    const full = new ZerothError('storage-failed', 'the disk is full')
    const evaluate: Objective['evaluate'] = (queries, into, signal) => {
      // The point of iteration 5 fails; it is asked again alone, and that never ends well.
      if (queries.rows === 1) throw full
      const work = compiled.objective.evaluate(queries, into, signal)
      if (queries.key.iteration === 5) into.failed[0] = 1
      return work
    }
    await expect(perform({ ...compiled, objective: { dim: 3, evaluate } }, store, silentWatcher())).rejects.toBe(full)
    await expect(takeUp(store.folder, larger(200), silentWatcher())).rejects.toThrow(
      'was interrupted in the middle of an iteration: resume it without other limits first',
    )
    expect(await takeUp(store.folder, unchanged, silentWatcher())).toMatchObject({ status: 'finished' })
    expect((await takeUp(store.folder, larger(200), silentWatcher())).queries).toBeGreaterThan(190)
  })

  test('that a run has already change nothing', async () => {
    const { folder } = place('long')
    const before = await readRun(folder)
    await takeUp(folder, larger(200), silentWatcher())
    const { meta, result } = await readRun(folder)
    expect(result).toEqual(before.result)
    expect(meta.extensions).toEqual([])
  })
})

test('a damaged journal is told, not passed over', async () => {
  const folder = await killed('damaged', 6)
  const file = join(folder, 'journal')
  const bytes = readFileSync(file)
  bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 255
  writeFileSync(file, bytes)
  appendFileSync(marks, '')
  await expect(openRun(folder)).rejects.toThrow(/repair/)
})
