import { describe, expect, test } from 'vitest'
import type { Step } from '../core/types.ts'
import { minimizeSync } from '../minimize/minimize-sync.ts'
import { coordinate, given, sphere } from '../parts/directions/basic.ts'
import { central, forward, majorityVote, nes } from '../parts/estimators/differences.ts'
import { plain, sign } from '../parts/steps/basic.ts'
import { adaptiveMoments } from '../parts/steps/moments.ts'
import { descent } from './descent.ts'
import { zoNES, zoSCD, zoSignSGD } from './presets.ts'

const f = (x: ArrayLike<number>): number =>
  Array.from(x).reduce((sum, each, i) => sum + (1 + i) * (each - 0.7 * i) * (each - 0.7 * i), 0)
const options = { maxIterations: 30, seed: 2 }
const start = [0.3, -0.2, 0.5]

describe('the learning rate', () => {
  // f = x along the one direction 1: the estimate is exactly 1, so steps are the rates.
  const estimator = forward({ along: given({ direction: () => [1] }), directions: 1, smoothing: 0.5 })
  const steps = (learningRate: Parameters<typeof descent>[0]['learningRate']): number[] => {
    const centers: number[] = []
    const watch = (x: Float64Array, { row }: { row: number }): number => {
      if (row === 0) centers.push(x[0] as number)
      return x[0] as number
    }
    minimizeSync(watch, [8], { solver: descent({ estimator, step: plain(), learningRate }), maxIterations: 4 })
    return centers.slice(1).map((each, i) => (centers[i] as number) - each)
  }

  test('decays as 1 / sqrt(t) where it is a bare number', () => {
    steps(0.5).forEach((each, i) => expect(each).toBeCloseTo(0.5 / Math.sqrt(i + 1), 14))
  })

  test('stays, decays, or does what a function says', () => {
    expect(steps({ value: 0.5, decay: 'none' })).toEqual([0.5, 0.5, 0.5, 0.5])
    steps({ value: 0.5, decay: 'linear' }).forEach((each, i) => expect(each).toBeCloseTo(0.5 / (i + 1), 14))
    expect(steps((t) => t / 4)).toEqual([0.25, 0.5, 0.75, 1])
  })
})

test('a step that says nothing about squares gets plain steps, whatever it said before', () => {
  // Divides by 4 in the first iteration, and by nothing from then on.
  const once: Step = {
    start: () => ({
      memory: {},
      apply(move, iteration) {
        if (iteration === 1) Object.assign(move, { squares: Float64Array.of(16), metricSquares: Float64Array.of(16) })
      },
    }),
  }
  const estimator = forward({ along: given({ direction: () => [1] }), directions: 1, smoothing: 0.5 })
  const solver = descent({ estimator, step: once, learningRate: { value: 1, decay: 'none' } })
  const { last } = minimizeSync((x) => x[0] as number, [8], { solver, maxIterations: 3 })
  expect(last.point[0]).toBe(8 - 0.25 - 1 - 1)
})

describe('the presets are what they say:', () => {
  test('ZO-SCD is descent along central differences of coordinates', () => {
    const parts = descent({ estimator: central({ along: coordinate() }), step: plain(), learningRate: 0.05 })
    expect(minimizeSync(f, start, { ...options, solver: zoSCD({ learningRate: 0.05 }) })).toEqual(
      minimizeSync(f, start, { ...options, solver: parts }),
    )
  })

  test('ZO-NES is the sign of the antithetic estimate, whatever its factor', () => {
    const parts = descent({ estimator: nes({ along: sphere() }), step: sign(), learningRate: 0.05 })
    const expected = minimizeSync(f, start, { ...options, solver: parts })
    for (const referenceFactor of [false, true]) {
      const solver = zoNES({ learningRate: 0.05, referenceFactor })
      expect(minimizeSync(f, start, { ...options, solver })).toEqual(expected)
    }
  })

  test('queries per iteration at 10 directions: 11, 21 with the center for ZO-SCD, 11 for ZO-NES', () => {
    const cost = (solver: ReturnType<typeof zoSCD>, trackBest = true) =>
      minimizeSync(f, start, { solver, maxIterations: 1, trackBest }).queries - 1
    expect([cost(zoSignSGD()), cost(zoSCD()), cost(zoNES())]).toEqual([11, 21, 11])
    expect([cost(zoSignSGD(), false), cost(zoSCD(), false), cost(zoNES(), false)]).toEqual([11, 20, 10])
  })

  test('a majority vote of one direction is the sign of its estimate', () => {
    const how = { directions: 1, learningRate: 0.05 }
    expect(
      minimizeSync(f, start, {
        ...options,
        solver: descent({
          estimator: majorityVote({ along: sphere(), directions: 1 }),
          step: sign(),
          learningRate: 0.05,
        }),
      }),
    ).toEqual(minimizeSync(f, start, { ...options, solver: zoSignSGD(how) }))
  })

  test('AdaFom divides by the root mean square of all estimates so far', () => {
    // One direction, f = 2x: every estimate is 2, so v = 4 and m = 2 (1 - 0.9^t).
    const along = given({ direction: () => [1] })
    const solver = descent({
      estimator: forward({ along, directions: 1, smoothing: 0.5 }),
      step: adaptiveMoments({ beta2: (iteration) => (iteration - 1) / iteration, maxSecondMoment: false }),
      learningRate: { value: 1, decay: 'none' },
    })
    const { last } = minimizeSync((x) => 2 * (x[0] as number), [0], { solver, maxIterations: 3 })
    expect(last.point[0]).toBeCloseTo(-(0.1 + 0.19 + 0.271), 14)
  })
})
