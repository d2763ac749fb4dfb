import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placed, valueScale, zeroScale } from './value-scale.ts'

const scale = (values: readonly number[], bulk?: readonly number[]) =>
  valueScale([Float64Array.from(values)], bulk && [Float64Array.from(bulk)])

test('positive values that differ much lie on a logarithmic axis', () => {
  expect(scale([31, 0.003])).toMatchObject({ type: 'log', domain: [0.002, 50] })
})

test('positive values that differ little lie on a linear one', () => {
  const { type, domain } = scale([1.02, 1])
  expect(type).toBe('linear')
  expect(domain[0]).toBeCloseTo(0.9992)
  expect(domain[1]).toBeCloseTo(1.0208)
})

test('zeros lie on the lower edge of a logarithmic axis, which says so', () => {
  const found = scale([40, 0.5, 0, 0])
  expect(found).toMatchObject({ type: 'log', domain: [0.125, 50], note: 'Zero lies on the lower edge.' })
  expect(found.ticks[0]).toEqual({ at: 0.125, text: '0' })
  expect(placed(found, 0)).toBe(0.125)
})

test('values on both sides of zero lie on a linear axis', () => {
  expect(scale([10, 4, -2, -3])).toMatchObject({ type: 'linear', domain: [-3.52, 10.52] })
})

test('where the first values dwarf all others, the axis is cut and says so', () => {
  const found = scale([1e6, 5, -2, -3], [5, -2, -3])
  expect(found.domain).toEqual([-3.32, 5.32])
  expect(found.note).toBe('The axis is cut: the first values lie above it.')
  expect(placed(found, 1e6)).toBe(5.32)
})

test('whatever the values, the axis is finite, holds them or their edge, and has a tick', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 8 }),
      (values) => {
        const found = scale(values)
        const [low, high] = found.domain
        expect(Number.isFinite(high - low) && high > low).toBe(true)
        expect(found.type === 'linear' || low > 0).toBe(true)
        expect(found.ticks.length).toBeGreaterThan(0)
        for (const value of values) expect(placed(found, value) >= low && placed(found, value) <= high).toBe(true)
      },
    ),
    { numRuns: 1000, seed: 1 },
  )
})

test('a scale around 0 is linear and shows 0, whatever the values', () => {
  const { type, domain } = zeroScale([Float64Array.of(0.001, 5)])
  expect([type, ...domain]).toEqual(['linear', -0.2, 5.2])
  expect(zeroScale([Float64Array.of(-4, -3)]).domain[1]).toBeGreaterThan(0)
  expect(zeroScale([Float64Array.of(0)]).domain).toEqual([-1, 1])
})
