import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ZerothError } from '../optimizer/core/errors.ts'
import { distortionBetween, type FormulationState } from './formulation.ts'
import { constrained, unconstrained } from './formulations.ts'

describe('constrained', () => {
  const picture = (...pixels: number[]) => Float32Array.from(pixels)

  function projected({ set, dim }: FormulationState, ...delta: number[]): number[] {
    const x = Float64Array.from(delta)
    set.project(x, null, new Float64Array(set.scratchSize(dim)))
    return Array.from(x, (each) => each + 0)
  }

  function painted(posed: FormulationState, delta: Float32Array | Float64Array, original = 0): number[] {
    const into = new Float64Array(posed.dim)
    posed.paint(delta, original, into, 0)
    return Array.from(into)
  }

  describe('the set of perturbations', () => {
    test('is the box that keeps the picture between 0 and 1, and nothing else', () => {
      const { set } = constrained().start([picture(0, 0.25, 1)])
      const { lower, upper } = set.bounds?.(3) ?? {}
      expect(Array.from(lower ?? [], (each) => each + 0)).toEqual([0, -0.25, -1])
      expect(Array.from(upper ?? [])).toEqual([1, 0.75, 0])
      expect(set.needsMetric).toBe(false)
    })

    test('of several pictures keeps all of them between 0 and 1', () => {
      const posed = constrained().start([picture(0.25, 0.5), picture(0.5, 0.125), picture(0.375, 1)])
      expect(projected(posed, -9, -9)).toEqual([-0.25, -0.125])
      expect(projected(posed, 9, 9)).toEqual([0.5, 0])
    })

    test('holds pixels to a largest change where there is one', () => {
      const posed = constrained({ linf: 0.125 }).start([picture(0, 0.0625, 0.5, 1)])
      expect(projected(posed, -9, -9, -9, -9)).toEqual([0, -0.0625, -0.125, -0.125])
      expect(projected(posed, 9, 9, 9, 9)).toEqual([0.125, 0.125, 0.125, 0])
    })

    test('holds the perturbation to a largest length where there is one, inside the box', () => {
      const posed = constrained({ l2: 0.5 }).start([picture(0.5, 0.5)])
      expect(projected(posed, 0.3, 0.4)).toEqual([0.3, 0.4])
      const [a = 0, b = 0] = projected(posed, 0.45, 0.6 - 0.1)
      expect(Math.hypot(a, b)).toBeLessThanOrEqual(0.5)
      expect(Math.hypot(a, b)).toBeGreaterThan(0.5 - 1e-12)
      expect(b / a).toBeCloseTo(0.5 / 0.45, 12)
      // Where the box has the say of one pixel, the other gets what is left of the length.
      const edge = constrained({ l2: 0.5 }).start([picture(0.7, 0.5)])
      expect(projected(edge, 9, 0.45)[0]).toBeCloseTo(0.3, 6)
      expect(projected(edge, 9, 0.45)[1]).toBeCloseTo(0.4, 6)
    })

    test('holds to both limits at once', () => {
      const posed = constrained({ linf: 0.3, l2: 0.5 }).start([picture(0.5, 0.5)])
      const [a = 0, b = 0] = projected(posed, 0.9, 0.39)
      expect([a, b]).toEqual([0.3, 0.3])
      expect(projected(constrained({ linf: 0.3, l2: 0.36 }).start([picture(0.5, 0.5)]), 0.9, 0.2)[0]).toBeCloseTo(
        0.3,
        6,
      )
    })
  })

  describe('the picture', () => {
    test('is the original plus the perturbation, and its squared distance is returned', () => {
      const posed = constrained().start([picture(0.25, 0.5), picture(0.5, 0.75)])
      const into = new Float32Array(5).fill(7)
      expect(posed.paint(Float64Array.from([0.25, -0.5]), 1, into, 2)).toBe(0.3125)
      expect(Array.from(into)).toEqual([7, 7, 0.75, 0.25, 7])
    })

    test('of no perturbation is the original to the bit', () => {
      const original = Float32Array.from({ length: 256 }, (_, byte) => byte / 255)
      const posed = constrained().start([original])
      expect(posed.set.contains(new Float64Array(256))).toBe(true)
      expect(painted(posed, new Float64Array(256))).toEqual(Array.from(original))
      expect(posed.paint(new Float64Array(256), 0, new Float32Array(256), 0)).toBe(0)
    })

    test('has the distortion of the perturbation, for every original', () => {
      const posed = constrained().start([picture(0.25, 0.5), picture(0.5, 0.75)])
      const expected = { l2sq: 0.390625, l2: 0.625, linf: 0.5 }
      expect(posed.distortion(Float64Array.from([0.375, -0.5]), 0)).toEqual(expected)
      expect(posed.distortion(Float32Array.from([0.375, -0.5]), 1)).toEqual(expected)
    })

    test('may leave the range of pixels where a probe does', () => {
      expect(painted(constrained().start([picture(1)]), Float64Array.from([0.001]))).toEqual([1.001])
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
      linf: fc.option(fc.double({ min: 0.01, max: 1, noNaN: true }), { nil: undefined }),
      l2: fc.option(fc.double({ min: 0.01, max: 3, noNaN: true }), { nil: undefined }),
    }),
  )

  test.each([Float64Array, Float32Array])(
    'any projected perturbation in a %o makes pictures from 0 to 1, within the limits',
    (Vector) => {
      fc.assert(
        fc.property(trials, ({ originals, delta, linf, l2 }) => {
          const posed = constrained({ linf, l2 }).start(originals.map((pixels) => Float32Array.from(pixels)))
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
})

describe('unconstrained', () => {
  const bytes = Float32Array.from({ length: 256 }, (_, byte) => byte / 255)

  /** The paper's formula as the authors compute it, on pixels from 0 to 1 (SPEC R6.4). */
  function reference(pixel: number, w: number): number {
    const back = (0.5 / 0.999999) * Math.tanh(Math.atanh(2 * 0.999999 * (pixel - 0.5)) + w) + 0.5
    return Math.min(1, Math.max(0, back))
  }

  function painted(posed: FormulationState, w: Float32Array | Float64Array, original = 0): Float64Array {
    const into = new Float64Array(posed.dim)
    posed.paint(w, original, into, 0)
    return into
  }

  /** Every pixel of 8 bits, moved by the same w. */
  const moved = (w: number) => painted(unconstrained().start([bytes]), new Float64Array(256).fill(w))

  const moves = [1e-6, 4e-5, 0.001, 0.01, 0.1, 0.5, 1, 1.7, 2.77, 3.9, 4, 4.0001, 5, 7.25, 10, 30]

  describe('the picture', () => {
    test('of w = 0 is the original to the bit', () => {
      const posed = unconstrained().start([bytes])
      expect(Array.from(painted(posed, new Float64Array(256)))).toEqual(Array.from(bytes))
      expect(posed.paint(new Float64Array(256), 0, new Float32Array(256), 0)).toBe(0)
      expect(posed.distortion(new Float64Array(256), 0)).toEqual({ l2sq: 0, l2: 0, linf: 0 })
    })

    test.each(moves)('is 0.5 tanh(atanh(2x) + w) to the last digits, for every pixel of 8 bits and w = %d', (move) => {
      for (const w of [move, -move]) {
        const errors = moved(w).map((shown, i) => Math.abs(shown - reference(bytes[i] as number, w)))
        expect(Math.max(...errors)).toBeLessThan(1.5e-15)
      }
    })

    test('has the exact values of a calculation with 60 digits', () => {
      // tanh(atanh(2 * 0.999999 * (x - 0.5)) + w) / (2 * 0.999999) + 0.5 for x = 0, 51/255 and 1 in float32.
      const posed = unconstrained().start([Float32Array.from([0, 51 / 255, 1])])
      for (const [w, expected] of exact) {
        const shown = painted(posed, new Float64Array(3).fill(w))
        expected.forEach((each, i) => {
          expect(Math.abs((shown[i] as number) - each)).toBeLessThan(1e-15)
        })
      }
    })

    test('changes by the right amount to ten digits where w is as small as a probe, also at black', () => {
      // d x' / d w = (1 - (2 * 0.999999 (x - 0.5))^2) / (2 * 0.999999), and the next term is of the order of w.
      const slope = (1 - 0.999999 ** 2) / (2 * 0.999999)
      const [black = 0] = moved(1e-9)
      expect(Math.abs(black / (slope * 1e-9) - 1)).toBeLessThan(1e-8)
      const [more = 0, less = 0] = [moved(4e-5)[0], moved(2e-5)[0]]
      expect(Math.abs((more / less - 2) / 2)).toBeLessThan(1e-4)
    })

    test('grows with w', () => {
      const pictures = [-30, -10, -4.0001, -4, -3.9999, -1, -0.001, 0, 0.001, 1, 3.9999, 4, 4.0001, 10, 30].map(moved)
      for (let k = 1; k < pictures.length; k++) {
        const [before, after] = [pictures[k - 1] as Float64Array, pictures[k] as Float64Array]
        expect(after.every((each, i) => each >= (before[i] as number))).toBe(true)
      }
      expect(moved(0.001).every((each, i) => i === 255 || each > (bytes[i] as number))).toBe(true)
    })

    test('reaches black and white and goes no further, however far w goes', () => {
      for (const w of [400, 1e6, 1e300, Number.MAX_VALUE]) {
        expect(moved(w).every((each) => each === 1)).toBe(true)
        expect(moved(-w).every((each) => each === 0)).toBe(true)
      }
    })

    test('comes back when w is taken back', () => {
      const posed = unconstrained().start([bytes])
      const there = Float32Array.from(painted(posed, new Float64Array(256).fill(0.75)))
      const back = painted(unconstrained().start([there]), new Float64Array(256).fill(-0.75))
      const errors = back.map((each, i) => Math.abs(each - (bytes[i] as number)))
      // The picture in between is float32; white, which could go no further, has lost its way back.
      expect(Math.max(...errors.subarray(0, 255))).toBeLessThan(3e-7)
      expect(errors[255]).toBeLessThan(2e-6)
    })

    test('of w from atanh hits the pixel aimed at', () => {
      const posed = unconstrained().start([Float32Array.from([0.25])])
      const stretch = (pixel: number) => Math.atanh(2 * 0.999999 * (pixel - 0.5))
      for (const aim of [0.001, 0.1, 0.5, 0.9, 0.999]) {
        expect(painted(posed, Float64Array.from([stretch(aim) - stretch(0.25)]))[0]).toBeCloseTo(aim, 14)
      }
    })
  })

  test('any w makes pictures from 0 to 1 whose distance is the one returned', () => {
    const dim = 6
    const pixel = fc.oneof(
      fc.integer({ min: 0, max: 255 }).map((byte) => byte / 255),
      fc.double({ min: 0, max: 1, noNaN: true }),
    )
    const originals = fc.array(fc.array(pixel, { minLength: dim, maxLength: dim }), { minLength: 1, maxLength: 3 })
    const w = fc.array(fc.oneof(fc.double({ min: -8, max: 8, noNaN: true }), fc.double({ noNaN: true })), {
      minLength: dim,
      maxLength: dim,
    })
    fc.assert(
      fc.property(originals, w, (given, variables) => {
        const pixels = given.map((each) => Float32Array.from(each))
        const posed = unconstrained().start(pixels)
        pixels.forEach((original, i) => {
          for (const Vector of [Float64Array, Float32Array]) {
            const move = Vector.from(variables)
            const shown = painted(posed, move, i)
            expect(shown.every((each) => each >= 0 && each <= 1)).toBe(true)
            const distortion = distortionBetween(shown, original)
            expect(posed.distortion(move, i)).toEqual(distortion)
            expect(posed.paint(move, i, new Float32Array(dim), 0)).toBe(distortion.l2sq)
          }
        })
      }),
      { numRuns: 200, seed: 12 },
    )
  })

  test('the variables may lie anywhere', () => {
    const { set, dim } = unconstrained().start([bytes])
    expect(dim).toBe(256)
    expect(set.unbounded).toBe(true)
  })

  /** By mpmath with 60 digits. */
  const exact: readonly (readonly [number, readonly number[]])[] = [
    [0.001, [1.0010011665277491e-9, 0.20032019567249945, 1]],
    [-0.25, [0, 0.13166740983591546, 0.9999996756393077]],
    [1.5, [9.542682169650794e-6, 0.8339258263824523, 1]],
    [-3.75, [0, 0.00013775237579901522, 0.9990972939550404]],
    [4.5, [0.004034699253439773, 0.9995071047840481, 1]],
    [6, [0.07525307478181532, 0.9999759237770541, 1]],
  ]
})
