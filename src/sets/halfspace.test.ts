import { expect, test } from 'vitest'
import { projected } from '../../test/conformance/set.ts'
import { halfspace } from './halfspace.ts'

test('moves a point on the wrong side along c / h', () => {
  const set = halfspace({ normal: [1, 1], offset: 1 })
  expect(projected(set, Float64Array.of(1, 1))).toStrictEqual(Float64Array.of(0.5, 0.5))
  expect(projected(set, Float64Array.of(2, 2), Float64Array.of(2, 1))).toStrictEqual(Float64Array.of(1, 0))
})

test('takes one number for a normal of equal entries', () => {
  const y = Float64Array.of(3, -1, 2)
  expect(projected(halfspace({ normal: 2, offset: 1 }), y)).toStrictEqual(
    projected(halfspace({ normal: [2, 2, 2], offset: 1 }), y),
  )
})

test('projects as Euclid does in the coordinates sqrt(h) x', () => {
  const [normal, y, h] = [Float64Array.of(1, -2, 0.5), Float64Array.of(3, 1, 4), Float64Array.of(4, 0.25, 9)]
  const root = h.map(Math.sqrt)
  const scaled = halfspace({ normal: normal.map((c, i) => c / (root[i] as number)), offset: -0.5 })
  const back = projected(
    scaled,
    y.map((v, i) => v * (root[i] as number)),
  ).map((v, i) => v / (root[i] as number))
  projected(halfspace({ normal, offset: -0.5 }), y, h).forEach((v, i) => {
    expect(v).toBeCloseTo(back[i] as number, 14)
  })
})

test('stays exact for far points and for weights far apart', () => {
  const set = halfspace({ normal: [1, 2, -3], offset: 0.125 })
  for (const size of [1e5, 1e20, 1e150]) {
    const x = projected(set, Float64Array.of(size, size, 0.5 * size), Float64Array.of(1e-6, 1, 1e6))
    expect(set.contains(x)).toBe(true)
  }
})

test('measures its tolerance as a distance', () => {
  const set = halfspace({ normal: [3, 4], offset: 0 })
  expect(set.contains(Float64Array.of(0.06, 0.08), 0.09)).toBe(false)
  expect(set.contains(Float64Array.of(0.06, 0.08), 0.11)).toBe(true)
})

test('refuses a normal without direction or of the wrong length', () => {
  expect(() => halfspace({ normal: [0, 0], offset: 1 })).toThrow('halfspace.normal must not be 0')
  expect(() => halfspace({ normal: 0, offset: 1 })).toThrow('halfspace.normal must not be 0')
  expect(() => halfspace({ normal: [1e-200, 0], offset: 1 })).toThrow('halfspace.normal must not be 0, nor too small')
  expect(() => halfspace({ normal: [1, Number.NaN], offset: 1 })).toThrow('halfspace.normal must')
  expect(() => halfspace({ normal: [1, Infinity], offset: 1 })).toThrow('halfspace.normal must')
  expect(() => halfspace({ normal: [1, 2], offset: Number.NaN })).toThrow('halfspace.offset must be a finite number')
  expect(() => halfspace({ normal: [1, 2], offset: 1 }).check(3)).toThrow(
    'halfspace.normal has 2 entries, but there are 3 coordinates',
  )
})
