import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Precision, Vector } from '../../src/optimizer/core/types.ts'
import { distortionBetween, type Formulation, type FormulationState } from '../../src/robustness/formulation.ts'

/** Images of the same size, and variables anywhere. */
interface Trial {
  readonly originals: readonly Float32Array[]
  readonly variables: Float64Array
}

/** What every form of an attack must satisfy. `make` gives the forms to try, one for each set of options. */
export function attackConformance(name: string, make: (dim: number) => readonly Formulation[]): void {
  const holds = (statement: string, check: (posed: FormulationState, trial: Trial) => void) =>
    test(statement, () => {
      const property = fc.property(trials, (trial) => {
        for (const form of make(trial.variables.length)) check(form.start(trial.originals), trial)
      })
      fc.assert(property, { numRuns: 40, seed: 20196 })
    })

  describe(`${name} as a form of attack`, () => {
    holds('has a variable for each pixel, however many images share them', (posed, { originals, variables }) => {
      expect(posed.dim).toBe(originals[0]?.length)
      expect(posed.dim).toBe(variables.length)
      posed.set.check(posed.dim)
    })

    holds('means the images themselves, to the bit, where all variables are 0', (posed, { originals }) => {
      const zero = new Float64Array(posed.dim)
      expect(posed.set.contains(zero)).toBe(true)
      originals.forEach((original, i) => {
        const { picture, squares } = painted(posed, zero, i)
        expect(Array.from(picture, (each) => each + 0)).toEqual(Array.from(original))
        expect(squares).toBe(0)
        expect(posed.distortion(zero, i)).toEqual({ l2sq: 0, l2: 0, linf: 0 })
      })
    })

    describe.each<Precision>(['float64', 'float32'])('with variables in %s', (precision) => {
      const vector = (values: Float64Array) => (precision === 'float32' ? Float32Array.from(values) : values.slice())

      holds('makes pictures from 0 to 1 of every point of its set', (posed, { originals, variables }) => {
        const allowed = projected(posed, vector(variables))
        expect(posed.set.contains(allowed)).toBe(true)
        originals.forEach((_, i) => {
          const { picture } = painted(posed, allowed, i)
          expect(picture.every((each) => each >= 0 && each <= 1)).toBe(true)
        })
      })

      holds("returns ||x' - x||^2 of the picture it paints", (posed, { originals, variables }) => {
        const allowed = projected(posed, vector(variables))
        originals.forEach((original, i) => {
          const { picture, squares } = painted(posed, allowed, i)
          near(squares, distortionBetween(picture, original).l2sq)
        })
      })

      holds('has the distortion of the picture it paints, in every norm', (posed, { originals, variables }) => {
        const allowed = projected(posed, vector(variables))
        originals.forEach((original, i) => {
          const { picture, squares } = painted(posed, allowed, i)
          const [found, expected] = [posed.distortion(allowed, i), distortionBetween(picture, original)]
          near(found.l2sq, squares)
          near(found.l2, expected.l2)
          near(found.linf, expected.linf)
          expect(found.l2).toBe(Math.sqrt(found.l2sq))
        })
      })

      holds('paints float32 pictures that are the float64 ones rounded, where it is told to', (posed, trial) => {
        const allowed = projected(posed, vector(trial.variables))
        const { picture, squares } = painted(posed, allowed, 0)
        const room = new Float32Array(posed.dim + 3).fill(7)
        expect(posed.paint(allowed, 0, room, 2)).toBe(squares)
        expect(room.subarray(2, 2 + posed.dim)).toEqual(Float32Array.from(picture))
        expect([room[0], room[1], room[posed.dim + 2]]).toEqual([7, 7, 7])
      })
    })

    holds('paints each image as if it were alone with these variables', (posed, { originals, variables }) => {
      const allowed = projected(posed, variables.slice())
      originals.forEach((original, i) => {
        const alone = make(posed.dim).map((form) => painted(form.start([original]), allowed, 0).picture)
        expect(alone).toContainEqual(painted(posed, allowed, i).picture)
      })
    })

    holds('only reads the variables and the images', (posed, { originals, variables }) => {
      const before = [variables.slice(), ...originals.map((each) => each.slice())]
      painted(posed, variables, 0)
      posed.distortion(variables, 0)
      expect([variables, ...originals]).toEqual(before)
    })

    holds('says the same again', (posed, { variables, originals }) => {
      const last = originals.length - 1
      const first = [painted(posed, variables, last), posed.distortion(variables, last)]
      painted(posed, new Float64Array(posed.dim), 0)
      expect([painted(posed, variables, last), posed.distortion(variables, last)]).toEqual(first)
    })

    test('moves every pixel that a variable moves, and no other', () => {
      const original = Float32Array.from([0.25, 0.5, 0.75, 0.125])
      for (const form of make(4)) {
        const posed = form.start([original])
        for (let i = 0; i < 4; i++) {
          for (const step of [1e-3, -1e-3]) {
            const { picture } = painted(posed, new Float64Array(4).fill(step, i, i + 1), 0)
            const changed = Array.from(picture, (each, j) => Math.sign(each - (original[j] as number)))
            expect(changed).toEqual([0, 1, 2, 3].map((j) => (j === i ? Math.sign(step) : 0)))
          }
        }
      }
    })
  })
}

function painted(
  posed: FormulationState,
  variables: Vector,
  original: number,
): { picture: Float64Array; squares: number } {
  const picture = new Float64Array(posed.dim)
  return { squares: posed.paint(variables, original, picture, 0), picture }
}

function projected<V extends Vector>({ set, dim }: FormulationState, x: V): V {
  set.project(x, null, new Float64Array(set.scratchSize(dim)).fill(Number.NaN))
  return x
}

/** Equal but for the rounding of the picture's pixels. */
function near(found: number, expected: number): void {
  expect(Math.abs(found - expected)).toBeLessThanOrEqual(1e-14 * (1 + expected))
}

const pixel = fc.oneof(
  fc.integer({ min: 0, max: 255 }).map((byte) => byte / 255),
  fc.double({ min: 0, max: 1, noNaN: true }),
)

const trials: fc.Arbitrary<Trial> = fc.integer({ min: 1, max: 20 }).chain((dim) => {
  const size = { minLength: dim, maxLength: dim }
  return fc.record({
    originals: fc.array(
      fc.array(pixel, size).map((pixels) => Float32Array.from(pixels, (each) => each + 0)),
      { minLength: 1, maxLength: 4 },
    ),
    variables: fc.array(fc.double({ min: -6, max: 6, noNaN: true }), size).map((values) => Float64Array.from(values)),
  })
})
