import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { distortionBetween, type PosedAttack } from './form.ts'
import { unconstrained } from './unconstrained.ts'

const bytes = Float32Array.from({ length: 256 }, (_, byte) => byte / 255)

/** The paper's formula as the authors compute it, on pixels from 0 to 1 (SPEC R6.4). */
function reference(pixel: number, w: number): number {
  const back = (0.5 / 0.999999) * Math.tanh(Math.atanh(2 * 0.999999 * (pixel - 0.5)) + w) + 0.5
  return Math.min(1, Math.max(0, back))
}

function painted(posed: PosedAttack, w: Float32Array | Float64Array, original = 0): Float64Array {
  const into = new Float64Array(posed.dim)
  posed.paint(w, original, into, 0)
  return into
}

/** Every pixel of 8 bits, moved by the same w. */
const moved = (w: number) => painted(unconstrained().begin([bytes]), new Float64Array(256).fill(w))

const moves = [1e-6, 4e-5, 0.001, 0.01, 0.1, 0.5, 1, 1.7, 2.77, 3.9, 4, 4.0001, 5, 7.25, 10, 30]

describe('the picture', () => {
  test('of w = 0 is the original to the bit', () => {
    const posed = unconstrained().begin([bytes])
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
    const posed = unconstrained().begin([Float32Array.from([0, 51 / 255, 1])])
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
    const posed = unconstrained().begin([bytes])
    const there = Float32Array.from(painted(posed, new Float64Array(256).fill(0.75)))
    const back = painted(unconstrained().begin([there]), new Float64Array(256).fill(-0.75))
    const errors = back.map((each, i) => Math.abs(each - (bytes[i] as number)))
    // The picture in between is float32; white, which could go no further, has lost its way back.
    expect(Math.max(...errors.subarray(0, 255))).toBeLessThan(3e-7)
    expect(errors[255]).toBeLessThan(2e-6)
  })

  test('of w from atanh hits the pixel aimed at', () => {
    const posed = unconstrained().begin([Float32Array.from([0.25])])
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
      const posed = unconstrained().begin(pixels)
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
  const { set, dim } = unconstrained().begin([bytes])
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
