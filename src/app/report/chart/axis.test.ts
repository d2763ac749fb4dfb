import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linearTicks, logTicks, placed, roundedDown, roundedUp, valueScale, zeroScale } from './axis.ts'

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

const texts = (ticks: readonly { text: string }[]): string[] => ticks.map(({ text }) => text)

test('linear ticks are round and have the decimals of their step', () => {
  expect(texts(linearTicks(0, 7998, 5))).toEqual(['0', '2,000', '4,000', '6,000'])
  expect(texts(linearTicks(-0.31, 0.3, 5))).toEqual(['−0.2', '0.0', '0.2'])
  expect(texts(linearTicks(1234567.001, 1234567.009, 4))).toEqual([
    '1,234,567.002',
    '1,234,567.004',
    '1,234,567.006',
    '1,234,567.008',
  ])
  expect(texts(linearTicks(0, 3e9, 3))).toEqual(['0', '1·10⁹', '2·10⁹', '3·10⁹'])
  expect(texts(linearTicks(-2e-7, 2e-7, 4))).toEqual(['−2·10⁻⁷', '−1·10⁻⁷', '0', '1·10⁻⁷', '2·10⁻⁷'])
  expect(texts(linearTicks(0, 1.1e7, 3))).toEqual(['0', '0.5·10⁷', '1.0·10⁷'])
  expect(texts(linearTicks(3, 3, 5))).toEqual(['3'])
  expect(texts(linearTicks(1.9998, 2, 2))).toEqual(['1.9998', '1.9999', '2.0000'])
})

test('logarithmic ticks are powers of ten, with 2 and 5 between where these are few', () => {
  expect(texts(logTicks(2, 100))).toEqual(['2', '5', '10', '20', '50', '100'])
  expect(texts(logTicks(1e-5, 100))).toEqual(['10⁻⁵', '10⁻⁴', '0.001', '0.01', '0.1', '1', '10', '100'])
  expect(texts(logTicks(1e-30, 1e6)).length).toBeLessThanOrEqual(8)
  expect(texts(logTicks(2e5, 2e6))).toEqual(['2·10⁵', '5·10⁵', '10⁶', '2·10⁶'])
})

test('ticks lie inside, ascend, and are neither too few nor too many', () => {
  const number = fc.double({ min: -1e12, max: 1e12, noNaN: true })
  fc.assert(
    fc.property(number, number, (a, b) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)]
      fc.pre(high - low > Math.max(Math.abs(low), Math.abs(high), 1e-300) * 1e-9)
      const places = linearTicks(low, high, 5).map(({ at }) => at)
      const slack = (high - low) * 1e-6
      expect(places.length).toBeGreaterThanOrEqual(2)
      expect(places.length).toBeLessThanOrEqual(7)
      expect(
        places.every((at, i) => at >= low - slack && at <= high + slack && (i === 0 || at > (places[i - 1] as number))),
      ).toBe(true)
    }),
    { numRuns: 500, seed: 1 },
  )
})

test('positive numbers are rounded to 1, 2 or 5 times a power of ten, also at the ends of their range', () => {
  expect([1, 1.9, 2, 4.9, 0.07, 999].map(roundedDown)).toEqual([1, 1, 2, 2, 0.05, 500])
  expect([1, 1.1, 2.1, 5.1, 0.07, 999].map(roundedUp)).toEqual([1, 2, 5, 10, 0.1, 1000])
  for (const value of [Number.MIN_VALUE, Number.MAX_VALUE, 3e-323, 1e308]) {
    expect(roundedDown(value)).toBeGreaterThan(0)
    expect(roundedDown(value)).toBeLessThanOrEqual(value)
    expect(roundedUp(value)).toBeGreaterThanOrEqual(value)
    expect(roundedUp(value)).toBeLessThan(Infinity)
  }
})
