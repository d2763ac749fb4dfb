import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scaledVariables } from './scaled-variables.ts'
import type { Queries } from './types.ts'

const { ownPoint, unitStart, ownQueries } = scaledVariables({
  rate: { from: 1e-5, to: 0.1, scale: 'log' },
  width: { from: 0, to: 4 },
})

/** One row, as a search would ask it. */
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
        const { ownPoint } = scaledVariables({ x: { from, to, scale: isLog ? 'log' : 'linear' } })
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
        const { ownQueries } = scaledVariables({ x: { from, to, scale: isLog ? 'log' : 'linear' } })
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
