import fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { Queries } from './types.ts'
import type { PointOf } from './variable-types.ts'
import { namedVariables } from './variables.ts'

const { ownPoint, unitStart, ownQueries } = namedVariables({
  rate: { from: 1e-5, to: 0.1, scale: 'log' },
  width: { from: 0, to: 4 },
})
function rowOf(...point: number[]): Queries {
  return {
    key: { seed: 1, iteration: 1 },
    rows: 1,
    dim: point.length,
    centers: 1,
    sample: () => 7,
    write: (_, into, offset = 0) => into.set(point, offset),
  }
}

describe('the unit box', () => {
  test('has its corners at the ends, to the bit, and its middle at the scaled middle', () => {
    expect(ownPoint([0, 0])).toEqual(Float64Array.of(1e-5, 0))
    expect(ownPoint([1, 1])).toEqual(Float64Array.of(0.1, 4))
    expect(ownPoint([0.5, 0.5])[0]).toBeCloseTo(1e-3, 16)
    expect(unitStart(undefined)).toEqual(Float64Array.of(0.5, 0.5))
  })

  test('pins the bits of the log scale', () => {
    expect([0.25, 0.5, 0.75].map((unit) => ownPoint([unit, 0])[0])).toEqual([
      0.00009999999999999991, 0.0010000000000000002, 0.010000000000000005,
    ])
  })

  test('a start comes back to rounding', () => {
    expect(ownPoint(unitStart({ rate: 0.02, width: 3 }))[0]).toBeCloseTo(0.02, 15)
    expect(ownPoint(unitStart([0.02, 3]))[1]).toBe(3)
  })

  test('never leaves the bounds and never turns back, whatever they are', () => {
    const end = fc.double({ noNaN: true, noDefaultInfinity: true, min: -8e307, max: 8e307 })
    const unit = fc.double({ min: 0, max: 1, noNaN: true })
    const ulp = (value: number): number => Math.max(Math.abs(value) * 2 ** -52, Number.MIN_VALUE)
    fc.assert(
      fc.property(end, end, unit, unit, fc.boolean(), (a, b, u, v, isLog) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)].map((each) => (isLog ? Math.abs(each) : each)) as [
          number,
          number,
        ]
        if (!(to > from) || (isLog && from === 0)) return
        const { ownPoint } = namedVariables({ x: { from, to, scale: isLog ? 'log' : 'linear' } })
        const [low, high] = [Math.min(u, v), Math.max(u, v)].map((each) => ownPoint([each])[0] as number) as [
          number,
          number,
        ]
        expect(low >= from && high <= to).toBe(true)
        expect(low - high).toBeLessThanOrEqual(isLog ? 4 * ulp(high) : 0)
      }),
      { numRuns: 5000, seed: 1 },
    )
  })

  test('rows rounded to float32 stay inside, too', () => {
    const end = fc.double({ min: 1e-30, max: 1e30, noNaN: true })
    fc.assert(
      fc.property(end, end, fc.constantFrom(0, 1e-9, 0.5, 1 - 1e-12, 1), fc.boolean(), (a, b, unit, isLog) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        // Between two neighbours of float32 there is no room.
        if (!(to > from * 1.000001)) return
        const { ownQueries } = namedVariables({ x: { from, to, scale: isLog ? 'log' : 'linear' } })
        const into = new Float32Array(2)
        ownQueries(rowOf(unit)).write(0, into, 1)
        expect(into[0]).toBe(0)
        expect(into[1]).toBeGreaterThanOrEqual(from)
        expect(into[1]).toBeLessThanOrEqual(to)
      }),
      { numRuns: 2000, seed: 1 },
    )
  })
})

test('queries keep all but their points', () => {
  const asked = ownQueries({ ...rowOf(1, 0.25), original: () => 3 })
  const into = new Float64Array(3)
  asked.write(0, into, 1)
  expect(into).toEqual(Float64Array.of(0, 0.1, 1))
  expect([asked.rows, asked.dim, asked.centers, asked.sample(0), asked.original?.(0)]).toEqual([1, 2, 1, 7, 3])
})

describe('variables of all kinds', () => {
  const declared = {
    rate: { from: 1e-4, to: 1, scale: 'log' },
    threads: { from: 1, to: 16, step: 1 },
    batch: { from: 32, to: 2048, factor: 2 },
    share: { from: 0, to: 1, step: 0.1 },
    size: { from: 1, to: 1000, step: 1, scale: 'log' },
    mode: { choices: ['fast', 'best', 'tree'] },
    deep: { choices: [false, true] },
    'tree.depth': { from: 1, to: 9, step: 2, when: { mode: 'tree' } },
    'tree.prune': { from: 0, to: 1, when: { mode: ['tree', 'best'], 'tree.depth': [3, 5], deep: true } },
  } as const
  const variables = namedVariables(declared)
  const { coordinates } = variables.set.space ?? { coordinates: [] }

  test('are indices to a search, conditions those of the indices', () => {
    expect(coordinates).toEqual([
      { kind: 'continuous' },
      { kind: 'levels', count: 16 },
      { kind: 'levels', count: 7 },
      { kind: 'levels', count: 11 },
      { kind: 'levels', count: 1000, first: 1 },
      { kind: 'categories', count: 3 },
      { kind: 'categories', count: 2 },
      { kind: 'levels', count: 5, conditions: [{ on: 5, among: [2] }] },
      {
        kind: 'continuous',
        conditions: [
          { on: 5, among: [2, 1] },
          { on: 7, among: [1, 2] },
          { on: 6, among: [1] },
        ],
      },
    ])
    expect(variables.set.bounds?.(9)).toEqual({
      lower: new Float64Array(9),
      upper: Float64Array.of(1, 15, 6, 10, 999, 2, 1, 4, 1),
    })
  })

  test('have values of their own types, in groups, and only those that matter', () => {
    const point = variables.named(variables.ownPoint([1, 7, 6, 3, 0, 2, 1, 2, 0.25]))
    expect(point).toEqual({
      ...{ rate: 1, threads: 8, batch: 2048, share: 0.3, size: 1, mode: 'tree', deep: true },
      tree: { depth: 5, prune: 0.25 },
    })
    expectTypeOf(point).toEqualTypeOf<{
      readonly rate: number
      readonly threads: number
      readonly batch: number
      readonly share: number
      readonly size: number
      readonly mode: 'fast' | 'best' | 'tree'
      readonly deep: boolean
      readonly tree?: { readonly depth?: number; readonly prune?: number }
    }>()
    const other = variables.named(variables.ownPoint([1, 7, 6, 3, 0, 0, 1, 2, 0.25]))
    expect(other).toEqual({ rate: 1, threads: 8, batch: 2048, share: 0.3, size: 1, mode: 'fast', deep: true })
    const shallow = variables.named(variables.ownPoint([1, 7, 6, 3, 0, 2, 1, 0, 0.25]))
    expect(shallow.tree).toEqual({ depth: 1 })
  })

  test('a group is there if one of its variables always is', () => {
    expectTypeOf<
      PointOf<{ 'a.b': { from: 0; to: 1 }; 'a.c': { from: 0; to: 1; when: { d: 'x' } }; d: { choices: ['x', 'y'] } }>
    >().toEqualTypeOf<{ readonly a: { readonly b: number; readonly c?: number }; readonly d: 'x' | 'y' }>()
  })

  test('begin in the middle, by factors where they are so meant, and with the first choice', () => {
    expect(variables.named(variables.ownStart(undefined))).toEqual({
      ...{ rate: 0.010000000000000005, threads: 8, batch: 256, share: 0.5, size: 22, mode: 'fast', deep: false },
    })
  })

  test('every start comes back, from a list or by name, with steps to the digit', () => {
    const steps = Array.from({ length: 11 }, (_, k) => variables.ownStart({ share: k / 10 })[3])
    expect(steps).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1])
    const whole = variables.ownStart({ threads: 3, mode: 'tree', deep: true, tree: { depth: 3, prune: 0.125 } })
    const flat = { threads: 3, mode: 'tree', deep: true, 'tree.depth': 3, 'tree.prune': 0.125 }
    expect(variables.ownStart(flat as never)).toEqual(whole)
    expect(variables.ownStart(whole)).toEqual(whole)
    expect(variables.ownPoint(variables.unitStart(whole))).toEqual(whole)
    expect(variables.set.contains(variables.unitStart(whole))).toBe(true)
    expect(variables.set.contains(variables.unitStart(undefined))).toBe(true)
  })

  test('the set holds points alone: indices, and one place for what does not matter', () => {
    const x = Float64Array.of(2, 7.4, -3, 3, 0, 1.6, 1, 9, 0.25)
    expect(variables.set.contains(x)).toBe(false)
    variables.set.project(x, null, new Float64Array(0))
    expect(Array.from(x)).toEqual([1, 7, 0, 3, 0, 2, 1, 4, 0.5])
    expect(variables.set.contains(x)).toBe(true)
  })

  test('what went through float32 is the same value', () => {
    const into = new Float32Array(9)
    variables.ownQueries(rowOf(0.5, 7, 6, 3, 999, 2, 1, 2, 0.5)).write(0, into)
    const found = variables.named(into)
    expect({ share: found.share, depth: found.tree?.depth }).toEqual({ share: 0.3, depth: 5 })
  })

  test('any step has as many digits as it was written with', () => {
    const size = fc.integer({ min: -4, max: 4 })
    fc.assert(
      fc.property(
        fc.integer({ min: -999, max: 999 }),
        fc.integer({ min: 1, max: 99 }),
        size,
        fc.nat(200),
        (a, b, e, k) => {
          const scaled = (each: number): number => Number(`${each}e${e}`)
          const { named } = namedVariables({ x: { from: scaled(a), to: scaled(a + 201 * b), step: scaled(b) } })
          expect(named([scaled(a + k * b)]).x).toBe(scaled(a + k * b))
        },
      ),
      { seed: 1, numRuns: 1000 },
    )
  })

  test.each<[string, object, RegExp]>([
    ['a start between two steps', { threads: 2.5 }, /^start.threads must be a whole number from 1 to 16, got 2.5$/],
    ['a start beside a step', { share: 0.15 }, /^start.share must be 0 plus a multiple of 0.1 from 0 to 1, got 0.15$/],
    [
      'a start of another power',
      { batch: 33 },
      /^start.batch must be one of 32, 64, 128, 256, 512, 1024, 2048, got 33$/,
    ],
    ['no choice', { mode: 'slow' }, /^start.mode must be one of "fast", "best", "tree", got "slow"$/],
    ['a choice of another type', { deep: 'true' }, /^start.deep must be one of false, true, got "true"$/],
    [
      'an unknown member of a group',
      { tree: { deep: 1 } },
      /^start.tree.deep is no variable; did you mean tree.depth\?/,
    ],
    [
      'what does not matter there',
      { tree: { depth: 3 } },
      /^start.tree.depth does nothing there: it only matters when mode is tree$/,
    ],
    [
      'a list with no index of a choice',
      [1, 1, 32, 0, 1, 3, 0, 1, 0],
      /^start.mode must be the index of a choice, from 0 to 2, got 3$/,
    ],
  ])('%s is refused', (_, start, message) => {
    expect(() => variables.ownStart(start as never)).toThrow(message)
  })
})

describe('what is refused of a variable:', () => {
  const whole = { from: 1, to: 9, step: 1 }
  test.each<[string, object, RegExp]>([
    [
      'a step that does not lead there',
      { a: { from: 0, to: 1, step: 0.3 } },
      /a.step must lead from 0 to 1: the last value before is 0.9, got 0.3$/,
    ],
    [
      'a step beyond the end',
      { a: { from: 0, to: 1, step: 2 } },
      /a.step must lead from 0 to 1: the last value before is 0, got 2$/,
    ],
    ['a step of 0', { a: { from: 0, to: 1, step: 0 } }, /a.step must be above 0, got 0$/],
    ['too many steps', { a: { from: 0, to: 1, step: 1e-9 } }, /a.step makes too many values \(at most 16777216\)/],
    [
      'a factor that does not lead there',
      { a: { from: 1, to: 10, factor: 2 } },
      /a.factor must lead from 1 to 10: the last value before is 8/,
    ],
    ['a factor of 1', { a: { from: 1, to: 10, factor: 1 } }, /a.factor must be above 1, got 1$/],
    ['powers from 0', { a: { from: 0, to: 8, factor: 2 } }, /a.from must be above 0 for a factor, got 0$/],
    [
      'a scale beside a factor',
      { a: { from: 1, to: 8, factor: 2, scale: 'log' } },
      /a.scale does nothing beside factor/,
    ],
    [
      'a log scale of steps from 0',
      { a: { ...whole, from: 0, scale: 'log' } },
      /a.from must be above 0 for the scale log/,
    ],
    ['no choices', { a: { choices: [] } }, /a.choices must hold at least two choices/],
    ['choices that are no list', { a: { choices: 'ab' } }, /a.choices must be an array/],
    ['a choice twice', { a: { choices: ['x', 'y', 'x'] } }, /a.choices must not hold x twice/],
    ['a number and its text', { a: { choices: [1, '1'] } }, /a.choices must not hold 1 twice/],
    [
      'a choice that is no value',
      { a: { choices: ['x', null] } },
      /a.choices.1 must be a string, or must be a number, or must be a boolean/,
    ],
    ['a range beside choices', { a: { choices: ['x', 'y'], from: 0 } }, /a.from does nothing beside choices/],
    [
      'values',
      { a: { values: [1, 2] } },
      /a.values is not an option of a variable: a list of values is choices: \[...\]/,
    ],
    [
      'an unknown parent',
      { a: whole, b: { ...whole, when: { c: 1 } } },
      /b.when names c, which is no variable; did you mean a\? \(known: a, b\)/,
    ],
    [
      'a continuous parent',
      { a: { from: 0, to: 1 }, b: { ...whole, when: { a: 1 } } },
      /b.when names a, which has neither steps nor choices/,
    ],
    [
      'a value that its parent has not',
      { a: whole, b: { ...whole, when: { a: [1, 12] } } },
      /b.when.a must be a whole number from 1 to 9 as a is/,
    ],
    ['no value', { a: whole, b: { ...whole, when: { a: [] } } }, /b.when.a must name at least one value/],
    ['no condition', { a: { ...whole, when: {} } }, /a.when must be an object of other variables/],
    ['itself as the parent', { a: { ...whole, when: { a: 1 } } }, /a.when goes in a circle: a when a/],
    [
      'a circle',
      { a: { ...whole, when: { b: 1 } }, b: { ...whole, when: { c: 1 } }, c: { ...whole, when: { a: 1 } } },
      /a.when goes in a circle: a when b when c when a/,
    ],
    [
      'a name that is a group, too',
      { 'a.b': whole, a: whole },
      /a.b is in the group a, which is the name of a variable, too/,
    ],
    ['a name that ends with a dot', { 'a.': whole }, /cannot be the name of a variable \("a."\)/],
    ['an inherited name in a group', { 'a.__proto__': whole }, /cannot be the name of a variable \("a.__proto__"\)/],
  ])('%s', (_, given, message) => {
    expect(() => namedVariables(given as never)).toThrow(message)
  })
})
