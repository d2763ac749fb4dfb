import { describe, expect, test } from 'vitest'
import { makeVariables } from '../core/variables.ts'
import { minimizeSync } from '../minimize/minimize-sync.ts'
import { l1Ball } from '../parts/sets/balls.ts'
import { box, wholeSpace } from '../parts/sets/boxes.ts'
import { auto } from './auto-part.ts'
import { explainAuto, firstChoice, nextChoice, onlyChoice, type Situation, setKindOf, usesDense } from './auto-rule.ts'

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

describe('models of all answers choose each query', () => {
  const square = box({ lower: 0, upper: 1 })
  const named = makeVariables({ a: { from: 0, to: 1 }, b: { choices: ['x', 'y'] } }).set

  test.each<[string, boolean, Parameters<typeof onlyChoice>[0]]>([
    ['few variables between bounds and few queries', true, { dim: 20, queries: 500, set: square }],
    ['one query more', false, { dim: 20, queries: 501, set: square }],
    ['one variable more', false, { dim: 21, queries: 500, set: square }],
    ['no bounds', false, { dim: 2, queries: 100, set: wholeSpace() }],
    ['a bound on one side only', false, { dim: 2, queries: 100, set: box({ lower: 0, upper: Infinity }) }],
    ['a single point', false, { dim: 2, queries: 100, set: box({ lower: 1, upper: 1 }) }],
    ['another set', false, { dim: 2, queries: 100, set: l1Ball({ radius: 1 }) }],
    ['terms of a finite sum', false, { dim: 2, queries: 100, set: square, sum: true }],
    ['choices, with any budget', true, { dim: 2, queries: Infinity, set: named }],
  ])('%s: %s', (_, expected, problem) => {
    const choice = onlyChoice(problem)
    expect(choice?.method).toBe(expected ? 'bayesian' : undefined)
    if (choice !== undefined) expect(choice).toMatchObject({ until: problem.queries, why: expect.stringMatching(/\w/) })
  })

  test('but points at random are asked where there are too many variables of all kinds', () => {
    const many = Object.fromEntries(Array.from({ length: 61 }, (_, i) => [`x${i}`, { from: 1, to: 4, step: 1 }]))
    expect(onlyChoice({ dim: 61, queries: 100, set: makeVariables(many).set })?.method).toBe('random')
  })

  test('not where the first minimum alone is wanted, and the run does what the explanation says', () => {
    expect(explainAuto({ dim: 2, queries: 100, set: square }).exact).toMatchObject([{ method: 'bayesian' }])
    expect(explainAuto({ dim: 2, queries: 100, set: square, once: true }).exact[0]?.method).toBe('quasi-newton')
    const first = (options: object): string | undefined =>
      minimizeSync(bowl, [0.5, 0.7], { solver: auto(options), set: square, maxQueries: 30 })
        .phases?.map(({ method }) => method)
        .find((method) => method !== 'probe')
    expect(first({})).toBe('bayesian')
    expect(first({ once: true })).toBe('quasi-newton')
    expect(first({ scale: 0.1 })).toBe('quasi-newton')
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

const bowl = (x: Float64Array): number => x.reduce((sum, each) => sum + each * each, 0)

test('names the methods for exact and for noisy answers, in their order', () => {
  const { exact, noisy, set } = explainAuto({ dim: 3, queries: 1000, set: wholeSpace() })
  expect(set).toBe('free')
  expect(exact.map(({ method }) => method)).toEqual(['quasi-newton', 'restarts', 'cma-es'])
  expect(noisy.map(({ method }) => method)).toEqual(['noisy-descent'])
  const once = explainAuto({ dim: 3, queries: 10_000, set: l1Ball({ radius: 1 }), once: true })
  expect(once).toMatchObject({ set: 'other', exact: [{ method: 'quasi-newton' }] })
})

test.each([
  [2, 8],
  [2, 60],
  [2, 400],
  [30, 300],
])('says what a run of %i variables and %i queries does', (dim, maxQueries) => {
  const { exact } = explainAuto({ dim, queries: maxQueries, set: wholeSpace() })
  const { phases = [] } = minimizeSync(bowl, new Float64Array(dim).fill(3), { solver: auto(), maxQueries })
  const done = phases.slice(1).map(({ method, why }) => ({ method, why }))
  // A run may spend its budget before the last of them.
  expect(done.length).toBeGreaterThan(0)
  expect(exact.slice(0, done.length).map(({ method, why }) => ({ method, why }))).toEqual(done)
})
