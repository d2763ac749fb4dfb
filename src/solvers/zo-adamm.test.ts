import { describe, expect, test } from 'vitest'
import type { ConvexSet, Precision, Solver } from '../core/types.ts'
import { minimizeSync } from '../run/minimize.ts'
import { box } from '../sets/box.ts'
import { l1Ball } from '../sets/l1-ball.ts'
import { l2Ball } from '../sets/l2-ball.ts'
import { wholeSpace } from '../sets/whole-space.ts'
import { zoAdaMM } from './zo-adamm.ts'
import { zoPSGD } from './zo-psgd.ts'
import { zoSGD } from './zo-sgd.ts'
import { zoSignSGD } from './zo-sign-sgd.ts'

const f = (x: ArrayLike<number>): number =>
  Array.from(x).reduce(
    (sum, each, i) => sum + (1 + i) * (each - 0.7 * i) * (each - 0.7 * i),
    (x[0] as number) * (x[1] as number),
  )

const run = (solver: Solver, precision: Precision, set: ConvexSet = wholeSpace()) =>
  minimizeSync(f, [0.3, -0.2, 0.5, 0.1], { solver, set, precision, maxIterations: 60, seed: 8 })

const learningRate = { value: 0.013, decay: 'sqrt' } as const
const ball = l2Ball({ radius: 1 })

describe.each<Precision>(['float64', 'float32'])('bit for bit in %s', (precision) => {
  test('without memory and maximum it is ZO-signSGD', () => {
    const forgetful = { learningRate, beta1: 0, beta2: 0, maxSecondMoment: false, initialSecondMoment: 0 }
    expect(run(zoAdaMM(forgetful), precision)).toEqual(run(zoSignSGD({ learningRate }), precision))
  })

  test('with the maximum it is not, whatever the footnote of the paper leaves out', () => {
    const forgetful = { learningRate, beta1: 0, beta2: 0, maxSecondMoment: true, initialSecondMoment: 0 }
    expect(run(zoAdaMM(forgetful), precision).point).not.toEqual(run(zoSignSGD({ learningRate }), precision).point)
  })

  test('without momentum and with a second moment that stays 1 it is ZO-SGD', () => {
    const steady = { learningRate, beta1: 0, beta2: 1, initialSecondMoment: 1 }
    expect(run(zoAdaMM(steady), precision)).toEqual(run(zoSGD({ learningRate }), precision))
    expect(run(zoAdaMM({ ...steady, initialMaximum: 0.5 }), precision)).toEqual(run(zoSGD({ learningRate }), precision))
  })

  test.each<[string, ConvexSet]>([
    ['a box', box({ lower: -0.1, upper: 0.9 })],
    ['an l1 ball', l1Ball({ radius: 1 })],
    ['an l2 ball', ball],
  ])('and on %s it is ZO-PSGD', (_, set) => {
    const steady = { learningRate, beta1: 0, beta2: 1, initialSecondMoment: 1 }
    const adaptive = run(zoAdaMM(steady), precision, set)
    const projected = run(zoPSGD({ learningRate }), precision, set)
    if (set.needsMetric && precision === 'float32') {
      // A metric of ones multiplies by 1 where no metric does not: the same numbers.
      expect(Array.from(adaptive.point)).toEqual(Array.from(projected.point))
    }
    expect(adaptive).toEqual(projected)
  })

  test('on a box the metric of the projection does not matter', () => {
    const set = box({ lower: -0.1, upper: 0.9 })
    const mahalanobis = run(zoAdaMM({ learningRate: 0.1 }), precision, set)
    expect(run(zoAdaMM({ learningRate: 0.1, projection: 'euclidean' }), precision, set)).toEqual(mahalanobis)
  })

  test('on a ball it does', () => {
    const mahalanobis = run(zoAdaMM({ learningRate: 0.1 }), precision, ball)
    expect(run(zoAdaMM({ learningRate: 0.1, projection: 'euclidean' }), precision, ball).last).not.toEqual(
      mahalanobis.last,
    )
  })
})

test('with beta1 / beta2 below 1 a step is never longer than the bound of the lemma', () => {
  const [beta1, beta2, alpha, dim] = [0.2, 0.5, 0.1, 4]
  const bound = (alpha * alpha * dim * (1 - beta1)) / ((1 - beta2) * (1 - beta1 / beta2))
  const centers: Float64Array[] = []
  minimizeSync(
    (x, { row }) => {
      if (row === 0) centers.push(x.slice())
      return 1e6 * f(x)
    },
    [3, -2, 5, 1],
    {
      solver: zoAdaMM({ beta1, beta2, learningRate: { value: alpha, decay: 'none' }, initialSecondMoment: 0 }),
      maxIterations: 200,
    },
  )
  for (let t = 1; t < centers.length; t++) {
    const step = (centers[t] as Float64Array).map((each, i) => each - (centers[t - 1]?.[i] as number))
    expect(step.reduce((sum, each) => sum + each * each, 0)).toBeLessThanOrEqual(bound)
  }
})

test('a bare rate is constant, as the default is: typing the default changes nothing', () => {
  const run = (solver: Solver) => minimizeSync(f, [1, 2, 3], { solver, maxIterations: 30 }).last.point
  expect(run(zoAdaMM({ learningRate: 0.1 }))).toEqual(run(zoAdaMM()))
  expect(run(zoAdaMM({ learningRate: 0.1 }))).toEqual(run(zoAdaMM({ learningRate: () => 0.1 })))
  expect(run(zoAdaMM({ learningRate: { value: 0.1, decay: 'sqrt' } }))).not.toEqual(run(zoAdaMM()))
})
