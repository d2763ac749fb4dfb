import fc from 'fast-check'
import { expect, test } from 'vitest'
import { thinCurve } from './thin-curve.ts'

test('a short curve stays as it is', () => {
  const curve = { x: Float64Array.of(1, 2, 3), y: Float64Array.of(3, 1, 2) }
  expect(thinCurve(curve, 10)).toBe(curve)
})

test('of many points the ends and every peak and dip remain, in order, and four per bin at most', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.double({ noNaN: true, min: -9, max: 9 })), {
    minLength: 1,
    maxLength: 400,
  })
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 12 }), (points, bins) => {
      let at = 0
      const x = Float64Array.from(points, ([step]) => (at += step))
      const y = Float64Array.from(points, ([, value]) => value)
      const thin = thinCurve({ x, y }, bins)
      const pairs = [...x].map((each, i) => `${each} ${y[i]}`)
      let from = 0
      for (const [i, each] of [...thin.x].entries()) {
        from = pairs.indexOf(`${each} ${thin.y[i]}`, from) + 1
        expect(from).toBeGreaterThan(0)
      }
      expect([thin.x[0], thin.x.at(-1), thin.y[0], thin.y.at(-1)]).toEqual([x[0], x.at(-1), y[0], y.at(-1)])
      expect([Math.min(...thin.y), Math.max(...thin.y)]).toEqual([Math.min(...y), Math.max(...y)])
      expect(thin.x.length).toBeLessThanOrEqual(4 * (bins + 1))
    }),
    { numRuns: 200, seed: 1 },
  )
})

test('a single spike among a million points survives', () => {
  const x = Float64Array.from({ length: 1e6 }, (_, i) => i)
  const y = new Float64Array(1e6)
  y[654321] = 5
  const thin = thinCurve({ x, y }, 240)
  expect(thin.x[thin.y.indexOf(5)]).toBe(654321)
  expect(thin.x.length).toBeLessThan(1000)
})
