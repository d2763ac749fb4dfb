import { describe, expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { makeAnswers } from '../core/answers.ts'
import type { ConvexSet, Directions, Estimator, Precision } from '../core/types.ts'
import { coordinate } from '../directions/coordinate.ts'
import { gaussian } from '../directions/gaussian.ts'
import { orthogonal } from '../directions/orthogonal.ts'
import { sphere } from '../directions/sphere.ts'
import { minimizeSync } from '../run/minimize.ts'
import { box } from '../sets/box.ts'
import { boxAndL2Ball } from '../sets/box-and-l2-ball.ts'
import { halfspace } from '../sets/halfspace.ts'
import { l1Ball } from '../sets/l1-ball.ts'
import { l2Ball } from '../sets/l2-ball.ts'
import { simplex } from '../sets/simplex.ts'
import { slab } from '../sets/slab.ts'
import { descent } from '../solvers/descent.ts'
import { zoAdaMM } from '../solvers/zo-adamm.ts'
import { plain } from '../steps/plain.ts'
import { central } from './central.ts'
import { forward } from './forward.ts'

/** An estimator made with the options that matter here. */
type Made = (options: { along: Directions; feasible: boolean; smoothing: number }) => Estimator

const sets: Record<string, ConvexSet> = {
  box: box({ lower: -0.1, upper: [0.3, 0.1, 0.7, 0.2] }),
  'half-line box': box({ lower: 0.1 }),
  'l2 ball': l2Ball({ radius: 0.7 }),
  'l1 ball': l1Ball({ radius: 0.7 }),
  simplex: simplex(),
  'half-space': halfspace({ normal: [1, 2, -1, 0.5], offset: 0.3 }),
  slab: slab({ normal: [1, 1, 1, 1], lower: -0.1, upper: 0.1 }),
  'box and l2 ball': boxAndL2Ball({ lower: -0.5, upper: 0.4, radius: 0.6 }),
}

/** Pulls every set to a corner: the smallest values lie far outside all of them. */
const pull = (x: ArrayLike<number>): number =>
  [3, -2, 5, 0.5].reduce((sum, target, i) => sum + Math.abs((x[i] as number) - target), 0)

describe.each(Object.entries(sets))('every query lies in the %s', (_, set) => {
  describe.each<Precision>(['float64', 'float32'])('in %s', (precision) => {
    test.each<[string, Made]>([
      ['forward', forward],
      ['central', central],
    ])('with %s differences', (_, estimator) => {
      let asked = 0
      let outside = 0
      for (const along of [sphere(), gaussian(), coordinate(), orthogonal()]) {
        const solver = descent({
          estimator: estimator({ along, feasible: true, smoothing: 0.05 }),
          step: plain(),
          learningRate: 0.05,
        })
        const check = (x: Float64Array): number => {
          asked++
          if (!set.contains(precision === 'float32' ? Float32Array.from(x) : x)) outside++
          return pull(x)
        }
        asked = 0
        const result = minimizeSync(check, [0.1, 0.1, 0.1, 0.1], { solver, set, precision, maxIterations: 8, seed: 3 })
        expect([result.queries, outside]).toEqual([asked, 0])
      }
    })
  })
})

describe('queries outside a box are allowed where one asks for it', () => {
  test('as in the paper', () => {
    const set = box({ lower: 0, upper: 1 })
    let outside = 0
    minimizeSync(
      (x) => {
        if (!set.contains(x)) outside++
        return pull(x)
      },
      [1, 1, 1, 1],
      { set, maxIterations: 3, solver: zoAdaMM({ feasible: false }) },
    )
    expect(outside).toBeGreaterThan(0)
  })
})

function rowsAround(start: number[], set: ConvexSet, estimator: Estimator): number[][] {
  const at = beginning(start.length, { start, set, trackBest: false })
  const estimation = estimator.begin(at)
  const queries = estimation.queries(at.start, 1)
  return Array.from({ length: queries.rows }, (_, row) => {
    const into = new Float64Array(start.length)
    queries.write(row, into)
    return Array.from(into)
  })
}

describe('in a box', () => {
  const unit = box({ lower: 0, upper: 1 })
  const along = coordinate({ all: true })

  test('a one-sided probe turns round the coordinates that would leave', () => {
    const probes = rowsAround([1, 0.5], unit, forward({ along, feasible: true, smoothing: 0.25 })).slice(1)
    expect(probes).toEqual([
      [0.75, 0.5],
      [1, 0.75],
    ])
  })

  test('a two-sided probe is clipped', () => {
    const probes = rowsAround([1, 0.5], unit, central({ along, feasible: true, smoothing: 0.25 }))
    expect(probes).toEqual([
      [1, 0.5],
      [0.75, 0.5],
      [1, 0.75],
      [1, 0.25],
    ])
  })

  test('a box narrower than the probe is crossed from wall to wall', () => {
    const narrow = box({ lower: 0, upper: 0.1 })
    expect(rowsAround([0.05], narrow, forward({ along, feasible: true, smoothing: 0.25 })).slice(1)).toEqual([[0]])
  })

  test('a probe that stays inside is left as it is', () => {
    const wide = box({ lower: -9, upper: 9 })
    const how = { along: sphere(), smoothing: 0.25, directions: 4 }
    expect(rowsAround([1, 0.5], wide, forward({ ...how, feasible: true }))).toEqual(
      rowsAround([1, 0.5], wide, forward(how)),
    )
  })
})

describe('in another set', () => {
  test('the whole direction is turned where that keeps it inside', () => {
    const set = halfspace({ normal: [1, 0], offset: 1 })
    const along = coordinate({ all: true })
    expect(rowsAround([1, 0], set, forward({ along, feasible: true, smoothing: 0.25 })).slice(1)).toEqual([
      [0.75, 0],
      [1, 0.25],
    ])
  })

  test('the radius is halved until both sides are inside', () => {
    const set = slab({ normal: [1, 0], lower: -0.1, upper: 0.1 })
    const along = coordinate({ all: true })
    expect(rowsAround([0, 0], set, central({ along, feasible: true, smoothing: 0.25 }))).toEqual([
      [0.0625, 0],
      [-0.0625, 0],
      [0, 0.25],
      [0, -0.25],
    ])
  })
})

describe('the estimate uses the step really taken: it is exact on a linear function', () => {
  test.each<[string, ConvexSet, number[], Made]>([
    ['at the wall of a box', box({ lower: 0, upper: 1 }), [1, 0, 0.5], forward],
    ['at the wall of a half-space', halfspace({ normal: [1, 0, 0], offset: 1 }), [1, 0, 0.5], forward],
    ['where the radius is halved', slab({ normal: [1, 0, 0], lower: -0.1, upper: 0.1 }), [0, 0, 0.5], central],
    ['where it is halved on one side', slab({ normal: [1, 0, 0], lower: -0.1, upper: 0.1 }), [0.1, 0, 0.5], forward],
  ])('%s', (_, set, start, estimator) => {
    const slope = [2, -3, 0.5]
    const at = beginning(3, { start, set })
    const estimation = estimator({ along: coordinate({ all: true }), feasible: true, smoothing: 0.25 }).begin(at)
    const queries = estimation.queries(at.start, 1)
    const answers = makeAnswers(queries.rows)
    const row = new Float64Array(3)
    for (let i = 0; i < queries.rows; i++) {
      queries.write(i, row)
      answers.values[i] = slope.reduce((sum, each, k) => sum + each * (row[k] as number), 0)
    }
    const gradient = new Float64Array(3)
    estimation.estimate(at.start, 1, answers, gradient)
    gradient.forEach((each, i) => {
      expect(each).toBeCloseTo(slope[i] as number, 12)
    })
  })
})
