import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRows, parseRows, rowLine } from './rows.ts'
import { testRow } from './test-row.ts'

describe('rows of the benchmark', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rows-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('come back as they were kept', () => {
    const row = testRow({
      solver: 'a',
      hits: [3, undefined, undefined, undefined, undefined],
      best: 1.25e-17,
      whole: false,
    })
    openRows(folder).add(row)
    expect(openRows(folder).rows).toEqual([row])
  })

  it('are known by solver, group, problem, seed and budget', () => {
    const store = openRows(folder)
    const row = testRow({ solver: 'a' })
    store.add(row)
    expect(store.has(row)).toBe(true)
    expect(openRows(folder).has(row)).toBe(true)
    expect(store.has({ ...row, seed: 2 })).toBe(false)
    expect(store.has({ ...row, budget: 7 })).toBe(false)
    expect(store.has({ ...row, group: 'additive' })).toBe(false)
  })

  it('survive a last line that was cut off', () => {
    const row = testRow({ solver: 'a' })
    openRows(folder).add(row)
    appendFileSync(join(folder, 'a.csv'), rowLine({ ...row, seed: 2 }).slice(0, 20))
    const store = openRows(folder)
    expect(store.rows).toEqual([row])
    store.add({ ...row, seed: 3 })
    expect(openRows(folder).rows.map(({ seed }) => seed)).toEqual([1, 3])
  })

  it('are forgotten where asked, on disk as well', () => {
    const store = openRows(folder)
    for (const seed of [1, 2, 3]) store.add(testRow({ solver: 'a', seed }))
    store.add(testRow({ solver: 'b' }))
    store.remove(({ solver, seed }) => solver === 'a' && seed < 3)
    expect(store.rows).toHaveLength(2)
    expect(store.has(testRow({ solver: 'a', seed: 1 }))).toBe(false)
    expect(openRows(folder).rows.map(({ solver, seed }) => `${solver}${seed}`)).toEqual(['a3', 'b1'])
  })

  it('keep notes to one cell', () => {
    expect(rowLine(testRow({ note: 'failed: a, b\nc' }))).toContain(',failed: a b c,')
  })

  it('of another version of the file are refused', () => {
    expect(() => parseRows('solver,group\na,b\n', 'a.csv')).toThrow(/a\.csv.*another version/)
  })
})
