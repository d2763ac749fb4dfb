import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRows, parseRows, rowLine } from './rows.ts'
import { distances, testRow } from './test-row.ts'

describe('rows of the benchmark of attacks', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'attack-rows-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('come back as they were kept, distances to six digits', () => {
    const row = testRow({ first: 37, best: distances([50, 0.25], [1000, 0.123456]) })
    openRows(folder).add(row)
    openRows(folder).add(testRow({ seed: 2, best: [1 / 3] }))
    expect(openRows(folder).rows).toEqual([row, testRow({ seed: 2, best: [0.333333] })])
  })

  it('are known by cell, solver, seed, image and budget', () => {
    const store = openRows(folder)
    const row = testRow()
    store.add(row)
    expect(openRows(folder).has(row)).toBe(true)
    for (const other of [
      { seed: 2 },
      { budget: 7 },
      { image: 1 },
      { cell: 'digits-linf' },
      { solver: 'nearest-boundary' },
    ]) {
      expect(store.has({ ...row, ...other })).toBe(false)
    }
  })

  it('survive a last line that was cut off', () => {
    const row = testRow()
    openRows(folder).add(row)
    appendFileSync(join(folder, 'ours.jsonl'), rowLine({ ...row, seed: 2 }).slice(0, 20))
    const store = openRows(folder)
    expect(store.rows).toEqual([row])
    store.add({ ...row, seed: 3 })
    expect(openRows(folder).rows.map(({ seed }) => seed)).toEqual([1, 3])
  })

  it('are forgotten where asked, on disk as well', () => {
    const store = openRows(folder)
    for (const seed of [1, 2, 3]) store.add(testRow({ seed }))
    store.add(testRow({ solver: 'nearest-boundary' }))
    store.remove(({ solver, seed }) => solver === 'ours' && seed < 3)
    expect(store.has(testRow({ seed: 1 }))).toBe(false)
    expect(openRows(folder).rows.map(({ solver, seed }) => `${solver}${seed}`)).toEqual(['nearest-boundary1', 'ours3'])
  })

  it('of another kind are refused', () => {
    expect(() => parseRows('{"a":1}\n', 'a.jsonl')).toThrow('a.jsonl, line 1: no row of this benchmark')
    expect(() => parseRows('a,b\n', 'a.jsonl')).toThrow('a.jsonl, line 1')
  })
})
