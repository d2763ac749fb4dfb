import { describe, expect, test } from 'vitest'
import { projected } from '../../../../test/conformance/set.ts'
import { boxAndHyperplane, halfspace, hyperplane, simplex, slab } from './planes.ts'

describe('hyperplane', () => {
  test('moves points onto the plane from both sides', () => {
    const set = hyperplane({ normal: [1, 1], offset: 1 })
    expect(projected(set, Float64Array.of(1, 1))).toStrictEqual(Float64Array.of(0.5, 0.5))
    expect(projected(set, Float64Array.of(0, 0))).toStrictEqual(Float64Array.of(0.5, 0.5))
  })

  test('moves the coordinate with the smallest weight most', () => {
    const x = projected(hyperplane({ normal: [1, 1], offset: 0 }), Float64Array.of(1, 1), Float64Array.of(1, 3))
    expect(x).toStrictEqual(Float64Array.of(-0.5, 0.5))
  })

  test('corrects what rounding leaves of a point far along the normal', () => {
    const set = hyperplane({ normal: [1, 2, -3], offset: 0.125 })
    const x = projected(set, Float64Array.of(1e20 / 3, 2e20 / 3, -1e20))
    expect(set.contains(x)).toBe(true)
    expect(Math.abs((x[0] as number) + 2 * (x[1] as number) - 3 * (x[2] as number) - 0.125)).toBeLessThan(1e-9)
  })

  test('contains what differs from it by no more than rounding', () => {
    const set = hyperplane({ normal: 1, offset: 0.3 })
    expect(set.contains(Float64Array.of(0.1, 0.2))).toBe(true)
    expect(set.contains(Float64Array.of(0.1, 0.2 + 1e-13))).toBe(false)
  })

  test('refuses a normal without direction', () => {
    expect(() => hyperplane({ normal: [0], offset: 1 })).toThrow('hyperplane.normal must not be 0')
  })
})

describe('halfspace', () => {
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
})

describe('slab', () => {
  test('moves points to the side they left by', () => {
    const set = slab({ normal: [1, 1], lower: -1, upper: 1 })
    expect(projected(set, Float64Array.of(1, 1))).toStrictEqual(Float64Array.of(0.5, 0.5))
    expect(projected(set, Float64Array.of(-1, -1))).toStrictEqual(Float64Array.of(-0.5, -0.5))
    expect(projected(set, Float64Array.of(5, -5))).toStrictEqual(Float64Array.of(5, -5))
  })

  test('lets the sign step of the counter-example escape along (1, -1) in the metric (2, 1), never in Euclid (R5.1)', () => {
    const set = slab({ normal: [1, 1], lower: -1, upper: 1 })
    const step = Float64Array.of(0.6, 0.6)
    expect(projected(set, step)).toStrictEqual(Float64Array.of(0.5, 0.5))
    const x = projected(set, step, Float64Array.of(2, 1))
    expect(x[0]).toBeCloseTo(0.5 + 0.1 / 3, 14)
    expect(x[1]).toBeCloseTo(0.5 - 0.1 / 3, 14)
  })

  test('refuses planes in the wrong order', () => {
    expect(() => slab({ normal: 1, lower: 1, upper: 0 })).toThrow('slab.lower must be at most slab.upper (0), got 1')
    expect(() => slab({ normal: 0, lower: 0, upper: 1 })).toThrow('slab.normal must not be 0')
    expect(() => slab({ normal: 1, lower: Number.NaN, upper: 0 })).toThrow('slab.lower must be a finite number')
  })
})

describe('simplex', () => {
  test('spreads what is missing evenly, and takes surplus from the largest', () => {
    expect(projected(simplex(), Float64Array.of(0, 0, 0, 0))).toStrictEqual(Float64Array.of(0.25, 0.25, 0.25, 0.25))
    expect(projected(simplex({ sum: 2 }), Float64Array.of(3, 2, -5))).toStrictEqual(Float64Array.of(1.5, 0.5, 0))
  })

  test('says its sum, for the mirror map that lives on it', () => {
    expect(simplex().simplexSum).toBe(1)
    expect(simplex({ sum: 2.5 }).simplexSum).toBe(2.5)
  })

  test('has a single point in one dimension', () => {
    expect(projected(simplex({ sum: 3 }), Float64Array.of(-7))).toStrictEqual(Float64Array.of(3))
  })

  test('finds the right corner for points far away', () => {
    expect(projected(simplex(), Float64Array.of(1e150, 1e150, -1e150))).toStrictEqual(Float64Array.of(0.5, 0.5, 0))
    expect(projected(simplex(), Float64Array.of(-3e150, -2e150, -1e150))).toStrictEqual(Float64Array.of(0, 0, 1))
  })

  test('refuses a sum that is not above 0', () => {
    expect(() => simplex({ sum: 0 })).toThrow('simplex.sum must be above 0, got 0')
    expect(() => simplex({ sum: -1 })).toThrow('simplex.sum must be above 0, got -1')
  })
})

describe('box and hyperplane', () => {
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
})
