import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { cliFolder, smallSpec } from '../../test/cli/cli-folder.ts'
import { newSeries } from './new-series.ts'
import { createPlan, readPlan, type SeriesPlan, writePlan } from './series-plan.ts'

const path = cliFolder()
const plan: SeriesPlan = { kind: 'repeat', created: '2026-01-01', zeroth: '0.1.0', spec: smallSpec(), seeds: [1, 2] }
const tune: SeriesPlan = { ...plan, kind: 'tune', search: { from: 0.1, to: 1, betas: true } }

test('a plan is read as it was written; a folder without one is none', async () => {
  await createPlan(path('a/b'), plan)
  expect(await readPlan(path('a/b'))).toEqual(plan)
  await writePlan(path('a/b'), tune)
  expect(await readPlan(path('a/b'))).toEqual(tune)
  expect(readdirSync(path('a/b'))).toEqual(['series.json'])
  expect(await readPlan(path('nothing'))).toBeUndefined()
})

test('a folder with other things in it is refused', async () => {
  mkdirSync(path('full'))
  writeFileSync(path('full', 'thesis.txt'), '')
  await expect(createPlan(path('full'), plan)).rejects.toThrow('is not empty (thesis.txt): choose another folder')
})

test.each([
  ['{', 'it is no JSON'],
  ['null', 'its format is not "zeroth-series"'],
  ['{"format":"other"}', 'its format is not "zeroth-series"'],
  ['{"format":"zeroth-series","version":2}', 'its version is 2, this zeroth knows 1'],
  ['{"format":"zeroth-series","version":1}', 'it has no spec'],
  ['{"format":"zeroth-series","version":1,"spec":{},"seeds":[]}', 'its seeds must be'],
  ['{"format":"zeroth-series","version":1,"spec":{},"seeds":[-1]}', 'its seeds must be'],
  ['{"format":"zeroth-series","version":1,"spec":{},"seeds":[1],"kind":"x"}', 'its kind must be repeat or tune, got x'],
  ['{"format":"zeroth-series","version":1,"spec":{},"seeds":[1],"kind":"tune"}', 'it does not say what is searched'],
])('a damaged plan is told: %s', async (text, problem) => {
  mkdirSync(path('damaged'), { recursive: true })
  writeFileSync(path('damaged', 'series.json'), text)
  await expect(readPlan(path('damaged'))).rejects.toThrow(`series.json is damaged: ${problem}`)
})

describe('a new series', () => {
  const out = path('series')

  test('takes the folder of --out', async () => {
    expect(await newSeries({ out }, 'name', plan)).toBe(out)
    expect(await readPlan(out)).toEqual(plan)
  })

  test('does not go on with another one unless it is asked to', async () => {
    await expect(newSeries({ out }, 'name', plan)).rejects.toThrow('holds several runs already: zeroth resume')
    expect(await newSeries({ out, resume: true }, 'name', { ...plan, created: 'later' })).toBe(out)
    await expect(newSeries({ resume: true }, 'name', plan)).rejects.toThrow('--resume needs --out')
  })

  test('does not go on with another plan', async () => {
    const again = (changes: Partial<SeriesPlan>) => newSeries({ out, resume: true }, 'name', { ...plan, ...changes })
    await expect(again({ seeds: [1, 2, 3] })).rejects.toThrow('holds other runs (seeds: [1,2], not [1,2,3])')
    await expect(again(tune)).rejects.toThrow('holds other runs (kind: "repeat", not "tune")')
    await expect(again({ spec: smallSpec({ dim: 4 }) })).rejects.toThrow('its dim is 3, not 4')
    await expect(again({ spec: smallSpec({ maxQueries: 7 }) })).rejects.toThrow('has another maxQueries: zeroth resume')
  })

  test('does not take the folder of a run', async () => {
    mkdirSync(path('run'))
    writeFileSync(path('run', 'meta.json'), '{}')
    await expect(newSeries({ out: path('run') }, 'name', plan)).rejects.toThrow(
      'is a single run: choose another folder',
    )
  })
})
