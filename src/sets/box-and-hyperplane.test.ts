import { expect, test } from 'vitest'
import { projected } from '../../test/conformance/set.ts'
import { boxAndHyperplane } from './box-and-hyperplane.ts'
import { hyperplane } from './hyperplane.ts'
import { simplex } from './simplex.ts'

test('is the simplex where its box is, and the plane where its box is infinite', () => {
  const y = Float64Array.of(0.7, -0.2, 1.1, 0.4)
  const h = Float64Array.of(2, 0.5, 3, 1)
  const capped = boxAndHyperplane({ lower: 0, normal: 1, offset: 1 })
  expect(projected(capped, y, h)).toStrictEqual(projected(simplex(), y, h))
  const plane = projected(hyperplane({ normal: [1, -2, 0, 1], offset: 3 }), y, h)
  const free = projected(boxAndHyperplane({ normal: [1, -2, 0, 1], offset: 3 }), y, h)
  free.forEach((value, i) => {
    expect(value).toBeCloseTo(plane[i] as number, 14)
  })
})

test('projects as Euclid does in the coordinates sqrt(h) x', () => {
  const [y, h] = [Float64Array.of(2, -1, 0.5, 0.9), Float64Array.of(4, 0.25, 9, 1)]
  const root = h.map(Math.sqrt)
  const grown = (v: Float64Array) => v.map((value, i) => value * (root[i] as number))
  const shrunk = (v: Float64Array) => v.map((value, i) => value / (root[i] as number))
  const normal = Float64Array.of(1, 2, -1, 0.5)
  const [lower, upper] = [Float64Array.of(-1, -1, -1, -1), Float64Array.of(1, 0.5, 1, 1)]
  const scaled = boxAndHyperplane({ lower: grown(lower), upper: grown(upper), normal: shrunk(normal), offset: 0.25 })
  const back = shrunk(projected(scaled, grown(y)))
  projected(boxAndHyperplane({ lower, upper, normal, offset: 0.25 }), y, h).forEach((value, i) => {
    expect(value).toBeCloseTo(back[i] as number, 14)
  })
})

test('pins what must be at a bound and shares the rest, however far the point is', () => {
  const set = boxAndHyperplane({ lower: 0, upper: 1, normal: 1, offset: 2 })
  expect(projected(set, Float64Array.of(1e150, 1e150, 2e150, -1e150))).toStrictEqual(Float64Array.of(0.5, 0.5, 1, 0))
  // Each coordinate meets both of its bounds at the same computed multiplier.
  const signed = boxAndHyperplane({ lower: -1, upper: 1, normal: [1, 2, -1], offset: 0 })
  expect(projected(signed, Float64Array.of(5.5e149, 9e149, 9.7e149))).toStrictEqual(Float64Array.of(1, 0, 1))
})

test('corrects what rounding leaves when a far coordinate has no bounds', () => {
  const set = boxAndHyperplane({ lower: [-1, -Infinity, -1], upper: [1, Infinity, 1], normal: [1, -1, 1], offset: 0 })
  const x = projected(set, Float64Array.of(-1e11 / 7, 4e10, 1e10 / 3), Float64Array.of(0.3, 0.3, 1))
  expect(set.contains(x)).toBe(true)
  // As exact as a point of that size is: (1, 2, 1) is the answer.
  expect(x[1]).toBeCloseTo(2, 4)
})

test('keeps the digits of a point that is small against the box', () => {
  const set = boxAndHyperplane({ lower: -1, upper: 1, normal: [1, 2], offset: 0 })
  const x = projected(set, Float64Array.of(1e-9, 3e-9))
  expect((x[0] as number) / -0.4e-9).toBeCloseTo(1, 14)
  expect((x[1] as number) / 0.2e-9).toBeCloseTo(1, 14)
})

test('accepts a plane that touches the box in one corner', () => {
  const set = boxAndHyperplane({ lower: 0, upper: 0.1, normal: 1, offset: 0.1 + 0.1 + 0.1 })
  set.check(3)
  expect(projected(set, Float64Array.of(-5, 3, 0.05))).toStrictEqual(Float64Array.of(0.1, 0.1, 0.1))
})

test('refuses a plane that misses the box', () => {
  expect(() => boxAndHyperplane({ lower: -1, upper: 1, normal: [1, -2], offset: 3.5 }).check(2)).toThrow(
    "box-and-hyperplane is empty: normal'x lies between -3 and 3 in the box, but box-and-hyperplane.offset is 3.5",
  )
  expect(() => boxAndHyperplane({ lower: 0, normal: 1, offset: -1 }).check(2)).toThrow('between 0 and Infinity')
})

test('refuses an empty box, a normal without direction and lists that do not fit', () => {
  expect(() => boxAndHyperplane({ lower: 2, upper: 1, normal: 1, offset: 1 }).check(2)).toThrow(
    'is empty: coordinate 0',
  )
  expect(() => boxAndHyperplane({ normal: [0, 0], offset: 1 })).toThrow('box-and-hyperplane.normal must not be 0')
  expect(() => boxAndHyperplane({ normal: [1, 1], offset: 1 }).check(3)).toThrow(
    'box-and-hyperplane.normal has 2 entries',
  )
  expect(() => boxAndHyperplane({ lower: [0], normal: 1, offset: 1 }).check(3)).toThrow('lower has 1 entry')
})
