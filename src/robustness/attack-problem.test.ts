import { describe, expect, test } from 'vitest'
import { fakeModel } from '../../test/attacks/fake-model.ts'
import { ZerothError } from '../optimizer/core/errors.ts'
import { zoAdaMM } from '../optimizer/methods/presets.ts'
import { minimize } from '../optimizer/minimize/minimize.ts'
import { attackProblem, type CleanImage } from './attack-problem.ts'
import { constrained, unconstrained } from './formulations.ts'
import { linearModel } from './models/linear.ts'

const model = fakeModel(2, 3, ([a = 0, b = 0]) => [a, b, 0.25])
const image: CleanImage = { pixels: Float32Array.from([0.75, 0.5]), label: 0 }

describe('an attack as a minimisation', () => {
  test('has the constrained formulation, lambda 10 and kappa 0 unless said otherwise', () => {
    const { objective, set, start } = attackProblem(model, [image])
    expect(objective.dim).toBe(2)
    expect(Array.from(start)).toEqual([0, 0])
    expect(set.bounds?.(2)).toEqual({ lower: Float64Array.from([-0.75, -0.5]), upper: Float64Array.from([0.25, 0.5]) })
    const values = new Float64Array(1)
    const answers = { values, failed: new Uint8Array(1), reasons: [undefined] }
    const queries = { key: { seed: 0, iteration: 1 }, rows: 1, dim: 2, centers: 1, sample: () => 0 }
    objective.evaluate({ ...queries, write: (_, into, offset = 0) => into.set([0, 0], offset) }, answers)
    // The margin is 0.25.
    expect(values[0]).toBe(2.5)
  })

  test('tells of each class where any but the own one will do and there are 3 to 32', () => {
    const classesOf = (classes: number, images: readonly CleanImage[] = [image]) =>
      attackProblem(
        fakeModel(2, classes, () => new Array<number>(classes).fill(0)),
        images,
      ).attack.competingClasses
    expect([2, 3, 32, 33].map((classes) => classesOf(classes))).toEqual([undefined, 3, 32, undefined])
    expect(classesOf(3, [{ ...image, target: 1 }])).toBe(undefined)
    expect(classesOf(3, [image, image])).toBe(undefined)
  })

  test('paints the picture that variables make', () => {
    const picture = new Float64Array(2)
    attackProblem(model, [image]).paint(Float64Array.from([0.125, -0.25]), 0, picture)
    expect(Array.from(picture)).toEqual([0.875, 0.25])
    attackProblem(model, [image], { formulation: unconstrained() }).paint(new Float64Array(2), 0, picture)
    expect(Array.from(picture)).toEqual([0.75, 0.5])
  })

  test('can be given to minimize as it is', async () => {
    const weights = [[1, 0], [0, 1], [0, 0]] // biome-ignore format: a matrix
    const shape = { channels: 1, height: 1, width: 2 }
    const linear = await linearModel({ shape, weights, bias: [0, 0, 0.25] }).open()
    const { objective, set, start, account } = attackProblem(linear, [image], {
      formulation: constrained({ linf: 0.25 }),
    })
    const solver = zoAdaMM({ learningRate: { value: 0.02, decay: 'sqrt' } })
    const { queries, last } = await minimize(objective, start, { solver, set, maxQueries: 1000, seed: 1 })
    expect(account.tracks[0]?.best?.fooled).toBe(true)
    expect(account.queries).toBe(queries)
    expect(account.tracks[0]?.final?.l2).toBe(Math.hypot(...last.point))
    // The nearest picture of class 1 has both pixels at 0.625: 2 / 64 away.
    expect(account.tracks[0]?.best?.l2sq).toBeGreaterThanOrEqual(0.03125)
    expect(account.tracks[0]?.best?.l2sq).toBeLessThan(0.04)
  })
})

describe('what makes no sense is refused', () => {
  const refused = (images: readonly CleanImage[]) => {
    try {
      attackProblem(model, images)
    } catch (error) {
      expect(error).toBeInstanceOf(ZerothError)
      expect((error as ZerothError).code).toBe('invalid-data')
      return (error as ZerothError).message
    }
    return expect.unreachable()
  }
  const one = (changes: Partial<CleanImage>) => refused([image, { ...image, ...changes }])

  test.each([
    [{ pixels: Float32Array.from([0, 0, 0]) }, 'image 1 must have 2 pixel values, got 3'],
    [{ pixels: Float32Array.from([0, 1.5]) }, 'image 1 must have pixels from 0 to 1 (bytes / 255), got 1.5'],
    [{ pixels: Float32Array.from([-1, 0]) }, 'image 1 must have pixels from 0 to 1 (bytes / 255), got -1'],
    [{ pixels: Float32Array.from([0, Number.NaN]) }, 'image 1 must have pixels from 0 to 1 (bytes / 255), got NaN'],
    [{ label: 3 }, 'the label of image 1 must be a whole number from 0 to 2, got 3'],
    [{ label: 0.5 }, 'the label of image 1 must be a whole number from 0 to 2, got 0.5'],
    [{ target: -1 }, 'the target of image 1 must be a whole number from 0 to 2, got -1'],
    [{ target: 0 }, 'the target of image 1 is its own class, 0'],
  ])('an image with %o', (changes, message) => {
    expect(one(changes)).toBe(message)
  })

  test('no image', () => {
    expect(refused([])).toBe('an attack needs at least one image')
  })

  test.each([
    [{ lambda: 0 }, 'invalid-option', 'attackProblem.lambda must be above 0, got 0'],
    [{ kappa: -1 }, 'invalid-option', 'attackProblem.kappa must be at least 0, got -1'],
    [{ kapa: 1 }, 'unknown-option', 'attackProblem has no option kapa; did you mean kappa?'],
    [{ formulation: {} }, 'invalid-option', 'attackProblem.formulation must be an attack, got [object Object]'],
  ])('the options %o', (options, code, message) => {
    try {
      attackProblem(model, [image], options as never)
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(ZerothError)
      expect((error as ZerothError).code).toBe(code)
      expect((error as ZerothError).message).toContain(message)
    }
  })
})
