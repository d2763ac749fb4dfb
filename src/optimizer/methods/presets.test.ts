import { describe, expect, test } from 'vitest'
import { forward, quadratic, radazo, rosenbrock, scalarMoment, sphere } from '../../index.ts'
import type { ConvexSet, Precision, Solver } from '../core/types.ts'
import { minimizeSync } from '../minimize/minimize-sync.ts'
import { l1Ball, l2Ball } from '../parts/sets/balls.ts'
import { box, wholeSpace } from '../parts/sets/boxes.ts'
import { descent } from './descent.ts'
import { zoAdaMM, zoNormalized, zoPSGD, zoRAdaZO, zoSGD, zoSignSGD, zoSMD } from './presets.ts'

describe('zo-adamm', () => {
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
      expect(run(zoAdaMM({ ...steady, initialMaximum: 0.5 }), precision)).toEqual(
        run(zoSGD({ learningRate }), precision),
      )
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
})

describe('zo-normalized', () => {
  /** What is left of the distance to the minimum, as a share of that at the start. */
  function left(
    value: (x: ArrayLike<number>) => number,
    start: Float64Array,
    solver: Solver,
    maxQueries: number,
  ): number {
    return minimizeSync(value, start, { solver, maxQueries, seed: 1 }).value / value(start)
  }

  describe('without a learning rate', () => {
    const { value, start } = quadratic({ dim: 100 })

    test.each([0.01, 1, 100])('it finds the scale of the variables (times %d)', (scale) => {
      const scaled = (x: ArrayLike<number>) => value(Float64Array.from(x, (each) => each / scale))
      const begin = start.map((each) => each * scale)
      expect(left(scaled, begin, zoNormalized(), 2000)).toBeLessThan(0.01)
      if (scale !== 1) expect(left(scaled, begin, zoAdaMM(), 2000)).toBeGreaterThan(0.5)
    })

    test.each([1e-6, 1, 1e6])('the scale of the values hardly matters (times %d)', (scale) => {
      expect(left((x) => scale * value(x as Float64Array), start, zoNormalized(), 2000)).toBeLessThan(0.001)
    })

    test('it stays stable in a curved valley', () => {
      const valley = rosenbrock({ dim: 30 })
      expect(left(valley.value as (x: ArrayLike<number>) => number, valley.start, zoNormalized(), 3000)).toBeLessThan(
        0.02,
      )
    })
  })

  test('with a learning rate it is the scalar moment with forward differences', () => {
    const { value, start } = quadratic({ dim: 5 })
    const run = (solver: Solver) => minimizeSync(value, start, { solver, maxIterations: 20 }).point
    const parts = descent({
      estimator: forward({ along: sphere(), directions: 3, smoothing: 1e-2 }),
      step: scalarMoment({ beta1: 0.9, beta2: 0.5 }),
      learningRate: { value: 0.2, decay: 'none' },
    })
    const preset = zoNormalized({ learningRate: 0.2, directions: 3, smoothing: 1e-2, beta2: 0.5 })
    expect(run(preset)).toEqual(run(parts))
  })

  test('a first step and a learning rate exclude each other', () => {
    expect(() => zoNormalized({ initial: 0.5, learningRate: 0.1 })).toThrow(
      'zo-normalized.initial is the length of the first step of a run without a learning rate; give only one of them, got 0.5',
    )
  })

  test('the first step is as long as asked for, less what the momentum holds back', () => {
    const { value, start } = quadratic({ dim: 50 })
    const first = (options: object) => {
      const { point } = minimizeSync(value, start, { solver: zoNormalized(options), maxIterations: 1 })
      return Math.hypot(...point.map((each, i) => each - (start[i] as number)))
    }
    expect(first({ initial: 0.4 })).toBeCloseTo(0.2, 12)
    expect(first({ beta1: 0.75 })).toBeCloseTo(0.25 * 0.1 * (1 + Math.sqrt(50)), 12)
  })
})

describe('zo-radazo', () => {
  const run = (solver: Solver, dim: number) => {
    const { value, start } = quadratic({ dim })
    return minimizeSync(value, start, { solver, maxIterations: 20 }).point
  }

  test("is R-AdaZO's step with forward differences", () => {
    const parts = descent({
      estimator: forward({ along: sphere(), directions: 3, smoothing: 1e-2 }),
      step: radazo({ beta2: 0.5 }),
      learningRate: 0.02,
    })
    expect(run(zoRAdaZO({ learningRate: 0.02, directions: 3, smoothing: 1e-2, beta2: 0.5 }), 5)).toEqual(run(parts, 5))
  })

  test.each([
    [5, 0.1],
    [400, 0.05],
  ])('in %i dimensions the usual rate is %d, falling with the iterations', (dim, learningRate) => {
    expect(run(zoRAdaZO(), dim)).toEqual(run(zoRAdaZO({ learningRate }), dim))
  })
})

describe('zo-smd', () => {
  const f = (x: ArrayLike<number>): number =>
    Array.from(x).reduce((sum, each, i) => sum + (each - 0.7 * i) * (each - 0.7 * i), 0)

  describe.each<[string, ConvexSet]>([
    ['the whole space', wholeSpace()],
    ['a box', box({ lower: -0.1, upper: 0.9 })],
    ['an l2 ball', l2Ball({ radius: 1 })],
    ['an l1 ball', l1Ball({ radius: 1 })],
  ])('on %s', (_, set) => {
    test.each<Precision>(['float64', 'float32'])(
      'ZO-SMD(alpha) is ZO-PSGD(alpha / 2), bit for bit in %s',
      (precision) => {
        const options = { set, precision, maxIterations: 40, seed: 6 }
        for (const alpha of [0.07, 0.1, 0.333]) {
          const mirrored = minimizeSync(f, [0.3, -0.2, 0.5, 0.1], {
            ...options,
            solver: zoSMD({ learningRate: alpha }),
          })
          const projected = minimizeSync(f, [0.3, -0.2, 0.5, 0.1], {
            ...options,
            solver: zoPSGD({ learningRate: alpha / 2 }),
          })
          expect(mirrored).toEqual(projected)
          expect(mirrored.value).toBeLessThan(mirrored.history[0]?.value as number)
        }
      },
    )
  })
})
