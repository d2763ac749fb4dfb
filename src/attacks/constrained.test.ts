import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ZerothError } from '../core/errors.ts'
import { constrained } from './constrained.ts'
import type { PosedAttack } from './form.ts'

const picture = (...pixels: number[]) => Float32Array.from(pixels)

function projected({ set, dim }: PosedAttack, ...delta: number[]): number[] {
  const x = Float64Array.from(delta)
  set.project(x, null, new Float64Array(set.scratchSize(dim)))
  return Array.from(x, (each) => each + 0)
}

function painted(posed: PosedAttack, delta: Float32Array | Float64Array, original = 0): number[] {
  const into = new Float64Array(posed.dim)
  posed.paint(delta, original, into, 0)
  return Array.from(into)
}

describe('the set of perturbations', () => {
  test('is the box that keeps the picture between 0 and 1, and nothing else', () => {
    const { set } = constrained().begin([picture(0, 0.25, 1)])
    const { lower, upper } = set.bounds?.(3) ?? {}
    expect(Array.from(lower ?? [], (each) => each + 0)).toEqual([0, -0.25, -1])
    expect(Array.from(upper ?? [])).toEqual([1, 0.75, 0])
    expect(set.needsMetric).toBe(false)
  })

  test('of several pictures keeps all of them between 0 and 1', () => {
    const posed = constrained().begin([picture(0.25, 0.5), picture(0.5, 0.125), picture(0.375, 1)])
    expect(projected(posed, -9, -9)).toEqual([-0.25, -0.125])
    expect(projected(posed, 9, 9)).toEqual([0.5, 0])
  })

  test('holds pixels to a largest change where there is one', () => {
    const posed = constrained({ linf: 0.125 }).begin([picture(0, 0.0625, 0.5, 1)])
    expect(projected(posed, -9, -9, -9, -9)).toEqual([0, -0.0625, -0.125, -0.125])
    expect(projected(posed, 9, 9, 9, 9)).toEqual([0.125, 0.125, 0.125, 0])
  })

  test('holds the perturbation to a largest length where there is one, inside the box', () => {
    const posed = constrained({ l2: 0.5 }).begin([picture(0.5, 0.5)])
    expect(projected(posed, 0.3, 0.4)).toEqual([0.3, 0.4])
    const [a = 0, b = 0] = projected(posed, 0.45, 0.6 - 0.1)
    expect(Math.hypot(a, b)).toBeLessThanOrEqual(0.5)
    expect(Math.hypot(a, b)).toBeGreaterThan(0.5 - 1e-12)
    expect(b / a).toBeCloseTo(0.5 / 0.45, 12)
    // Where the box has the say of one pixel, the other gets what is left of the length.
    const edge = constrained({ l2: 0.5 }).begin([picture(0.7, 0.5)])
    expect(projected(edge, 9, 0.45)[0]).toBeCloseTo(0.3, 6)
    expect(projected(edge, 9, 0.45)[1]).toBeCloseTo(0.4, 6)
  })

  test('holds to both limits at once', () => {
    const posed = constrained({ linf: 0.3, l2: 0.5 }).begin([picture(0.5, 0.5)])
    const [a = 0, b = 0] = projected(posed, 0.9, 0.39)
    expect([a, b]).toEqual([0.3, 0.3])
    expect(projected(constrained({ linf: 0.3, l2: 0.36 }).begin([picture(0.5, 0.5)]), 0.9, 0.2)[0]).toBeCloseTo(0.3, 6)
  })
})

describe('the picture', () => {
  test('is the original plus the perturbation, and its squared distance is returned', () => {
    const posed = constrained().begin([picture(0.25, 0.5), picture(0.5, 0.75)])
    const into = new Float32Array(5).fill(7)
    expect(posed.paint(Float64Array.from([0.25, -0.5]), 1, into, 2)).toBe(0.3125)
    expect(Array.from(into)).toEqual([7, 7, 0.75, 0.25, 7])
  })

  test('of no perturbation is the original to the bit', () => {
    const original = Float32Array.from({ length: 256 }, (_, byte) => byte / 255)
    const posed = constrained().begin([original])
    expect(posed.set.contains(new Float64Array(256))).toBe(true)
    expect(painted(posed, new Float64Array(256))).toEqual(Array.from(original))
    expect(posed.paint(new Float64Array(256), 0, new Float32Array(256), 0)).toBe(0)
  })

  test('has the distortion of the perturbation, for every original', () => {
    const posed = constrained().begin([picture(0.25, 0.5), picture(0.5, 0.75)])
    const expected = { l2sq: 0.390625, l2: 0.625, linf: 0.5 }
    expect(posed.distortion(Float64Array.from([0.375, -0.5]), 0)).toEqual(expected)
    expect(posed.distortion(Float32Array.from([0.375, -0.5]), 1)).toEqual(expected)
  })

  test('may leave the range of pixels where a probe does', () => {
    expect(painted(constrained().begin([picture(1)]), Float64Array.from([0.001]))).toEqual([1.001])
  })
})

const pixel = fc.oneof(
  fc.integer({ min: 0, max: 255 }).map((byte) => byte / 255),
  fc.double({ min: 0, max: 1, noNaN: true }),
)
const pictures = (dim: number) =>
  fc.array(fc.array(pixel, { minLength: dim, maxLength: dim }), { minLength: 1, maxLength: 4 })
const trials = fc.integer({ min: 1, max: 12 }).chain((dim) =>
  fc.record({
    originals: pictures(dim),
    delta: fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: dim, maxLength: dim }),
    linf: fc.option(fc.double({ min: 0.01, max: 1.5, noNaN: true }), { nil: undefined }),
    l2: fc.option(fc.double({ min: 0.01, max: 3, noNaN: true }), { nil: undefined }),
  }),
)

test.each([Float64Array, Float32Array])(
  'any projected perturbation in a %o makes pictures from 0 to 1, within the limits',
  (Vector) => {
    fc.assert(
      fc.property(trials, ({ originals, delta, linf, l2 }) => {
        const posed = constrained({ linf, l2 }).begin(originals.map((pixels) => Float32Array.from(pixels)))
        const x = Vector.from(delta)
        posed.set.project(x, null, new Float64Array(posed.set.scratchSize(posed.dim)))
        for (let i = 0; i < originals.length; i++) {
          for (const shown of painted(posed, x, i)) {
            expect(shown).toBeGreaterThanOrEqual(0)
            expect(shown).toBeLessThanOrEqual(1)
          }
          const distortion = posed.distortion(x, i)
          if (linf !== undefined) expect(distortion.linf).toBeLessThanOrEqual(linf)
          if (l2 !== undefined) expect(distortion.l2).toBeLessThanOrEqual(l2)
        }
      }),
      { numRuns: 200, seed: 11 },
    )
  },
)

test.each(['linf', 'l2'])('a limit %s of 0 or below is refused', (limit) => {
  for (const value of [0, -1, Number.NaN]) {
    expect(() => constrained({ [limit]: value })).toThrow(ZerothError)
  }
  expect(() => constrained({ [limit]: 0 })).toThrow(`constrained.${limit} must be above 0, got 0`)
})
