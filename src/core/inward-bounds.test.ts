import fc from 'fast-check'
import { expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { box } from '../sets/box.ts'
import { l2Ball } from '../sets/l2-ball.ts'
import { inwardBounds } from './inward-bounds.ts'

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
