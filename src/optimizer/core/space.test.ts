import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { beginning } from '../../../test/conformance/directions.ts'
import { l2Ball } from '../parts/sets/balls.ts'
import { box } from '../parts/sets/boxes.ts'
import { differ, inwardBounds, isActive, neighbours, snap, unitScale } from './space.ts'
import type { Space } from './types.ts'

const unit = { low: 0, high: 1 }

/** A rate, threads from 1 to 16, a mode of three, a depth that matters in the last mode, and a share that needs depth 2 or 3. */
const mixed: Space = {
  coordinates: [
    { kind: 'continuous' },
    { kind: 'levels', count: 16 },
    { kind: 'categories', count: 3 },
    { kind: 'levels', count: 4, conditions: [{ on: 2, among: [2] }] },
    { kind: 'continuous', conditions: [{ on: 3, among: [2, 3] }] },
  ],
}

describe('snap', () => {
  test('rounds indices, keeps to the ends, and puts what does not matter in its place', () => {
    const x = Float64Array.of(1.5, 7.6, -2, 3, 0.9)
    snap(mixed, x, () => unit)
    expect(Array.from(x)).toEqual([1, 8, 0, 1, 0.5])
  })

  test('leaves what matters', () => {
    const x = Float64Array.of(0.25, 15, 2, 3, 0.9)
    snap(mixed, x, () => unit)
    expect(Array.from(x)).toEqual([0.25, 15, 2, 3, 0.9])
  })

  test('is done once it is done, also if a variable depends on one that does not matter', () => {
    const x = Float64Array.of(0.1, 1, 1, 2, 0.9)
    snap(mixed, x, () => unit)
    const once = x.slice()
    snap(mixed, x, () => unit)
    expect(x).toEqual(once)
    expect(isActive(mixed, x, 4)).toBe(false)
  })
})

describe('unitScale', () => {
  test('takes every value there and back', () => {
    for (const coordinate of [
      { kind: 'levels', count: 7 },
      { kind: 'levels', count: 1000, first: 1 },
      { kind: 'levels', count: 9, first: 0.5 },
      { kind: 'categories', count: 5 },
    ] as const) {
      const { unit: to, value } = unitScale(coordinate, { low: 0, high: coordinate.count - 1 })
      for (let k = 0; k < coordinate.count; k++) expect(value(to(k))).toBe(k)
      expect([value(0), value(1), value(-1), value(2)]).toEqual([0, coordinate.count - 1, 0, coordinate.count - 1])
    }
  })

  test('gives levels by factors equal shares for equal factors', () => {
    const { unit: to } = unitScale({ kind: 'levels', count: 1024, first: 1 }, { low: 0, high: 1023 })
    expect(to(7) - to(3)).toBeCloseTo(to(511) - to(255), 12)
  })

  test('keeps the ends of an interval to the bit', () => {
    const { unit: to, value } = unitScale({ kind: 'continuous' }, { low: 0.1, high: 0.7 })
    expect([value(0), value(1), to(0.1), to(0.7)]).toEqual([0.1, 0.7, 0, 1])
  })
})

test('neighbours are all other categories, and levels up to two steps away', () => {
  expect(neighbours({ kind: 'categories', count: 4 }, 1)).toEqual([0, 2, 3])
  expect(neighbours({ kind: 'levels', count: 4 }, 1)).toEqual([0, 2, 3])
  expect(neighbours({ kind: 'levels', count: 9 }, 8)).toEqual([6, 7])
  expect(neighbours({ kind: 'continuous' }, 0.5)).toEqual([])
})

describe('inward bounds', () => {
  const boundsOf = (lower: number, upper: number, precision: 'float64' | 'float32') => {
    const start = [Math.min(Math.max(0, lower), upper)]
    const bounds = inwardBounds(beginning(1, { start, set: box({ lower, upper }), precision }))
    return [bounds?.lower[0] as number, bounds?.upper[0] as number] as const
  }

  test('are exact in float64', () => {
    expect(boundsOf(-0.1, 0.3, 'float64')).toEqual([-0.1, 0.3])
  })

  test('lie inside in float32, by less than three units in the last place', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.double({ min: 1, max: 1e3, noNaN: true }),
        (lower, width) => {
          const upper = lower + width
          const [low, high] = boundsOf(lower, upper, 'float32')
          expect([Math.fround(low), Math.fround(high)]).toEqual([low, high])
          expect(low >= lower && high <= upper).toBe(true)
          const ulp = (value: number) => Math.max(Math.abs(value) * 1.1920928955078125e-7, 1.401298464324817e-45)
          expect(low - lower).toBeLessThanOrEqual(3 * ulp(lower))
          expect(upper - high).toBeLessThanOrEqual(3 * ulp(upper))
        },
      ),
      { numRuns: 500, seed: 1 },
    )
  })

  test('stay where they are when float32 can hold them', () => {
    expect(boundsOf(-0.5, 0.75, 'float32')).toEqual([-0.5, 0.75])
  })

  test('are infinite where there are none, or none that float32 could reach', () => {
    expect(boundsOf(-Infinity, 1, 'float32')[0]).toBe(-Infinity)
    expect(boundsOf(-1e300, 1e300, 'float32')).toEqual([-Infinity, Infinity])
  })

  test('are none where the set is no box', () => {
    expect(inwardBounds(beginning(2, { set: l2Ball({ radius: 9 }) }))).toBeUndefined()
  })
})

describe('vectors that differ', () => {
  test('one coordinate is enough, also the last', () => {
    expect(differ(Float64Array.of(1, 2, 3), Float64Array.of(1, 2, 3))).toBe(false)
    expect(differ(Float64Array.of(1, 2, 3), Float64Array.of(1, 2, 4))).toBe(true)
    expect(differ(Float32Array.of(0.1), Float32Array.of(0.1))).toBe(false)
  })
})
