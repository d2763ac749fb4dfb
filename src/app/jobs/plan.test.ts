import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { cliFolder, smallSpec } from '../../../test/cli/cli-folder.ts'
import { writeStored } from './job.ts'
import { type JobPlan, lockPlan, readPlan, resumePlan } from './plan.ts'

const path = cliFolder()
const plan: JobPlan = { kind: 'repeat', created: '2026-01-01', zeroth: '0.1.0', spec: smallSpec(), seeds: [1, 2] }
const tune: JobPlan = { ...plan, kind: 'tune', search: { from: 0.1, to: 1, betas: true } }

/** Takes a plan and gives its lock back. */
async function hold(folder: string, wanted: JobPlan): Promise<JobPlan> {
  const { plan: held, lock } = await lockPlan(folder, wanted)
  lock.release()
  return held
}

test('a plan is read as it was written; a folder without one is none', async () => {
  await hold(path('a/b'), plan)
  expect(await readPlan(path('a/b'))).toEqual(plan)
  await hold(path('a/t'), tune)
  expect(await readPlan(path('a/t'))).toEqual(tune)
  expect(readdirSync(path('a/b'))).toEqual(['series.json'])
  expect(await readPlan(path('nothing'))).toBeUndefined()
})

test('a folder with other things in it is refused, and left as it was', async () => {
  mkdirSync(path('full'))
  writeFileSync(path('full', 'thesis.txt'), '')
  await expect(lockPlan(path('full'), plan)).rejects.toThrow('is not empty (thesis.txt): choose another folder')
  expect(readdirSync(path('full'))).toEqual(['thesis.txt'])
})

test('a plan that another work holds is refused', async () => {
  const { lock } = await lockPlan(path('held'), plan)
  await expect(resumePlan(path('held'))).rejects.toMatchObject({ code: 'run-in-use' })
  lock.release()
  ;(await resumePlan(path('held'))).lock.release()
})

test.each([
  ['{', 'is not JSON: it is damaged'],
  ['null', 'must hold a JSON object, got null'],
  ['{"format":"other"}', 'the format is "other", not "zeroth-series"'],
  ['{"format":"zeroth-series","version":2}', 'has schema version 2, this zeroth reads up to 1'],
  ['{"format":"zeroth-series","version":1}', 'does not fit its sha256'],
])('a damaged plan is told: %s', async (text, problem) => {
  mkdirSync(path('damaged'), { recursive: true })
  writeFileSync(path('damaged', 'series.json'), text)
  await expect(readPlan(path('damaged'))).rejects.toThrow(new RegExp(`series.json:? ${problem}`))
})

test.each([
  [{}, 'it has no spec'],
  [{ spec: {}, seeds: [] }, 'its seeds must be'],
  [{ spec: {}, seeds: [-1] }, 'its seeds must be'],
  [{ spec: {}, seeds: [1], kind: 'x' }, 'its kind must be repeat or tune, got x'],
  [{ spec: {}, seeds: [1], kind: 'tune' }, 'it does not say what is searched'],
])('a plan that is none is told, however well sealed: %j', async (content, problem) => {
  mkdirSync(path('odd'), { recursive: true })
  writeStored(path('odd', 'series.json'), 'zeroth-series', content)
  await expect(readPlan(path('odd'))).rejects.toThrow(`series.json is damaged: ${problem}`)
})

describe('a series that is there', () => {
  const again = (folder: string, changes: Partial<JobPlan>) => hold(path(folder), { ...plan, ...changes })

  test('is resumed where it has the same plan', async () => {
    expect(await again('series', {})).toEqual(plan)
    expect(await again('series', { created: 'later' })).toEqual(plan)
  })

  test('is refused where it has another plan', async () => {
    await expect(again('series', { seeds: [1, 2, 3] })).rejects.toThrow('holds other runs (seeds: [1,2], not [1,2,3])')
    await expect(again('series', tune)).rejects.toThrow('holds other runs (kind: "repeat", not "tune")')
    await expect(again('series', { spec: smallSpec({ dim: 4 }) })).rejects.toThrow('its dim is 3, not 4')
    expect(await readPlan(path('series'))).toEqual(plan)
  })

  test('takes other limits for all its runs, unless it is a tuning', async () => {
    const spec = smallSpec({ maxQueries: 7 })
    expect((await again('series', { spec })).spec.maxQueries).toBe(7)
    expect((await readPlan(path('series')))?.spec.maxQueries).toBe(7)
    await hold(path('search'), tune)
    await expect(again('search', { ...tune, spec })).rejects.toThrow('is a tuning: its runs keep their limits')
    await expect(resumePlan(path('search'), { maxQueries: 7 })).rejects.toThrow('its runs keep their limits')
  })

  test('does not take the folder of a run', async () => {
    mkdirSync(path('run'))
    writeFileSync(path('run', 'meta.json'), '{}')
    await expect(lockPlan(path('run'), plan)).rejects.toThrow('is a single run: choose another folder')
  })
})
