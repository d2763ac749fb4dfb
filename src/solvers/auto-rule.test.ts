import { describe, expect, test } from 'vitest'
import { box } from '../sets/box.ts'
import { l1Ball } from '../sets/l1-ball.ts'
import { wholeSpace } from '../sets/whole-space.ts'
import { firstChoice, nextChoice, type Situation, setKindOf, usesDense } from './auto-rule.ts'

const usual: Situation = { dim: 10, queries: 5000, noisy: false, set: 'free', once: false }

describe('the first method', () => {
  test.each<[Partial<Situation>, string, number]>([
    [{}, 'quasi-newton', 3000],
    [{ once: true }, 'quasi-newton', 5000],
    [{ set: 'other' }, 'quasi-newton', 5000],
    [{ queries: 1100 }, 'quasi-newton', 1100],
    [{ queries: 1101 }, 'quasi-newton', 660.6],
    [{ queries: 50 }, 'quasi-newton', 50],
    [{ queries: 49 }, 'block-descent', 49],
    [{ queries: 49, noisy: true }, 'block-descent', 49],
    [{ noisy: true }, 'noisy-descent', 5000],
    [{ dim: 101, queries: 100_000 }, 'quasi-newton', 100_000],
  ])('of %o is %s, until %d queries', (change, method, until) => {
    const choice = firstChoice({ ...usual, ...change })
    expect(choice.method).toBe(method)
    expect(choice.until).toBeCloseTo(until, 9)
    expect(choice.why).not.toBe('')
  })
})

describe('the next method', () => {
  test('is a row of restarts, then a population, then none', () => {
    expect(nextChoice('quasi-newton', usual, 1000)).toMatchObject({ method: 'restarts', until: 2600 })
    expect(nextChoice('restarts', usual, 2600)).toMatchObject({ method: 'cma-es', until: 5000 })
    expect(nextChoice('cma-es', usual, 5000)).toBeUndefined()
    expect(nextChoice('noisy-descent', usual, 5000)).toBeUndefined()
  })

  test('is a population at once for many variables, and in sets that are no box', () => {
    expect(nextChoice('quasi-newton', { ...usual, dim: 101 }, 1000)).toMatchObject({ method: 'cma-es' })
    expect(nextChoice('quasi-newton', { ...usual, set: 'other' }, 1000)).toMatchObject({ method: 'cma-es' })
  })

  test('has an end without a limit of queries', () => {
    expect(nextChoice('quasi-newton', { ...usual, queries: Infinity }, 300)).toMatchObject({ until: 3300 })
  })

  test('is none where the run ends at the first minimum, unless nothing was answered', () => {
    const once = { ...usual, once: true }
    expect(nextChoice('quasi-newton', once, 1000)).toBeUndefined()
    expect(nextChoice('quasi-newton', { ...once, lost: true }, 6)).toMatchObject({ method: 'restarts' })
    expect(nextChoice('block-descent', { ...once, lost: true }, 6)).toMatchObject({ method: 'cma-es' })
    expect(nextChoice('block-descent', usual, 6)).toBeUndefined()
  })
})

test('a whole matrix is kept up to 20 variables, and up to 100 where the budget can buy its entries', () => {
  expect(usesDense(20, 100)).toBe(true)
  expect(usesDense(21, 1154)).toBe(false)
  expect(usesDense(21, 1155)).toBe(true)
  expect(usesDense(101, 1e9)).toBe(false)
})

test('sets are free, boxes or others', () => {
  expect([wholeSpace(), box({ lower: 0, upper: 1 }), l1Ball({ radius: 1 })].map(setKindOf)).toEqual([
    'free',
    'box',
    'other',
  ])
})
