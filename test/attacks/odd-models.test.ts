import { describe, expect, test } from 'vitest'
import type { Solver } from '../../src/optimizer/core/types.ts'
import { flatness } from '../../src/robustness/checks.ts'
import { evaluateRobustness } from '../../src/robustness/evaluate-robustness.ts'
import { constrained } from '../../src/robustness/formulations.ts'
import type { Dataset } from '../../src/robustness/images/dataset.ts'
import { nearestBoundary } from '../../src/robustness/methods/nearest-boundary.ts'
import { square } from '../../src/robustness/methods/square.ts'
import type { Model } from '../../src/robustness/models/model.ts'
import { onnxModel } from '../../src/robustness/models/onnx.ts'
import { lookOf, screenImages } from '../../src/robustness/screening.ts'
import { storedScreening } from '../../src/robustness/stored-records.ts'
import { linearNetwork } from '../networks/linear-network.ts'
import { fakeModel } from './fake-model.ts'

const side = 8
const dim = side * side
const shape = { channels: 1, height: side, width: side }

/** Three classes that waves of different lengths tell apart, as steep as is said. */
const weights = (steep: number) =>
  [1, 2, 3].map((k) => Array.from({ length: dim }, (_, i) => steep * Math.sin(k * (i % side) + Math.floor(i / side))))

/** Four images of class 0, in bytes, that a change of 8 bytes in the right pixels moves to another class. */
const images: Dataset = {
  name: 'waves',
  count: 4,
  title: String,
  label: () => 0,
  read: async (index) => {
    const wave = (i: number) => Math.sin((i % side) + Math.floor(i / side)) * (6 + index)
    return { shape, pixels: Float32Array.from({ length: dim }, (_, i) => Math.round(128 + wave(i)) / 255) }
  },
}

const limit = 12 / 255

const evaluated = (model: Model, solver: Solver = nearestBoundary(), second?: Solver, maxQueries = 400) =>
  evaluateRobustness(model, images, { solver, second, maxQueries, formulation: constrained({ linf: limit }) })

const network = (options: Partial<Parameters<typeof linearNetwork>[0]>, steep: number) =>
  onnxModel({
    bytes: linearNetwork({ weights: weights(steep), sides: ['N', 1, side, side], ...options }),
    preprocessing: {},
  }).open()

describe('networks with odd inputs and outputs', () => {
  test('a network whose scores are probabilities is read as one, and it is said', async () => {
    const model = await network({ softmax: true }, 20)
    const { summary, warnings } = await evaluated(model)
    await model.close()
    expect(summary).toMatchObject({ robustAccuracy: 0, scores: 'probabilities', attacked: 4 })
    expect(warnings.join()).toContain('the scores of all images are probabilities, not logits')
  })

  test.each(['uint8', 'int8'] as const)('a network of %s is attacked in bytes, and its pictures hold', async (type) => {
    const model = await network({ type }, 0.1)
    expect(model.grid).toBeCloseTo(1 / 255, 12)
    const { summary, images: records } = await evaluated(model)
    await model.close()
    expect(summary).toMatchObject({ robustAccuracy: 0, success8bit: 1, scores: 'logits' })
    for (const { best, saved } of records) {
      // What was reported is what was asked about, and what is saved.
      expect(saved?.l2sq).toBe(best?.l2sq)
      expect(best?.linf).toBeLessThanOrEqual(limit + 1e-7)
      expect(Math.abs(Math.round((best?.linf ?? 0) * 255) - (best?.linf ?? 0) * 255)).toBeLessThan(1e-4)
    }
  })

  test('a network that rounds its input and does not say so is probed with longer steps', async () => {
    const [own = [], ...others] = weights(0.1)
    const sum = (row: readonly number[], x: Float64Array) =>
      row.reduce((all, each, i) => all + each * Math.round(255 * (x[i] as number)), 0)
    const model = fakeModel(dim, 3, (x) => [own, ...others].map((row) => sum(row, x)), { shape })
    expect((await evaluated(model)).summary.robustAccuracy).toBe(0)
  })
})

/** Class 0 as long as fewer than a third of the pixels have changed by 11 bytes: a loss without slopes. */
const masked = () => {
  const original = images.read(0)
  return original.then(({ pixels }) =>
    fakeModel(
      dim,
      2,
      (x) => {
        const changed = x.filter((each, i) => Math.abs(each - (pixels[i] as number)) > 11 / 255).length
        return [changed < dim / 3 ? 1 : -1, 0]
      },
      { shape },
    ),
  )
}
const one: Dataset = { ...images, count: 1 }

describe('images that withstand a method', () => {
  const options = { maxQueries: 100, formulation: constrained({ linf: limit }) }
  const weak = square({ radius: 1 / 255 })
  const strong = square({ radius: limit })

  test('are tried with the second one, within the same budget, and what that shows is said', async () => {
    const {
      summary,
      images: records,
      warnings,
    } = await evaluateRobustness(await masked(), one, {
      ...options,
      solver: weak,
      second: strong,
    })
    expect(summary).toMatchObject({ robustAccuracy: 0, fooled: 1, queries: 100, methods: ['square'] })
    expect(records[0]?.methods).toEqual([
      { method: 'square', queries: 75, fooled: false },
      { method: 'square', queries: 25, fooled: true, isSecond: true },
    ])
    expect(records[0]?.first?.queries).toBeGreaterThan(75)
    expect(records[0]?.first?.iteration).toBeGreaterThanOrEqual(75)
    expect(warnings.join()).toContain('robustness against square alone would have been false')
  })

  test('have their whole budget for the one method where there is no second', async () => {
    const {
      summary,
      images: records,
      warnings,
    } = await evaluateRobustness(await masked(), one, {
      ...options,
      solver: weak,
    })
    expect(records[0]).toMatchObject({ methods: [{ method: 'square', queries: 100, fooled: false }], isFlat: true })
    expect(summary.meaning).toBe(
      '100 % of the images withstood changes of at most 12/255 (linf) by square with 100 queries each; a stronger attack may fool more',
    )
    expect(warnings.join()).toContain('around 1 of 1 images that withstood, the model gives the same scores to the bit')
  })

  test('leave no query to a second method that a fooled image uses itself', async () => {
    const model = await masked()
    const given = { ...options, solver: strong }
    const [alone, both] = [
      await evaluateRobustness(model, one, given),
      await evaluateRobustness(model, one, { ...given, second: nearestBoundary() }),
    ]
    expect(both.images).toEqual(alone.images)
  })
})

describe('scores', () => {
  test.each([
    [[0.2, 0.3, 0.5], 'probabilities'],
    [[1, 0, 0], 'saturated'],
    [[1, 1e-35, 0], 'saturated'],
    [[1, 1e-20, 0], 'probabilities'],
    [[0.2, 0.3, 0.6], undefined],
    [[-0.1, 0.5, 0.6], undefined],
    [[1], undefined],
  ])('of %j are taken for %s', (scores, look) => {
    expect(lookOf(Float64Array.from(scores))).toBe(look)
  })

  test('are remembered as they looked, so that a resumed evaluation reads them in the same way', async () => {
    const model = fakeModel(dim, 2, () => [0.75, 0.25], { shape })
    const screened = await screenImages(model, images, {})
    expect(screened.map(({ scoresAre }) => scoresAre)).toEqual(new Array(4).fill('probabilities'))
    expect(storedScreening.read(JSON.parse(JSON.stringify(screened)))).toEqual(screened)
  })

  test('that are all 0 and 1 are said to hide what small changes do', async () => {
    const model = fakeModel(dim, 2, () => [1, 0], { shape })
    const { warnings } = await evaluated(model, nearestBoundary(), undefined, 30)
    expect(warnings.join()).toContain('the probabilities of 4 of 4 untouched images are 0 and 1')
  })
})

test('a model with slopes is not flat, one that answers everything alike is', async () => {
  const { pixels } = await images.read(0)
  const slope = fakeModel(dim, 2, (x) => [x[0] as number, 0], { shape })
  expect(await flatness(slope, { pixels })).toEqual({ isFlat: false, modelCalls: 5 })
  expect(
    await flatness(
      fakeModel(dim, 2, () => [1, 0], { shape }),
      { pixels },
    ),
  ).toMatchObject({ isFlat: true })
  expect(
    await flatness(
      fakeModel(dim, 2, () => [Number.NaN, 0], { shape }),
      { pixels },
    ),
  ).toMatchObject({ isFlat: false })
})
