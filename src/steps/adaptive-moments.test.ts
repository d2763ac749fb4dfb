import { describe, expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import type { Move, Schedule } from '../core/types.ts'
import { adaptiveMoments } from './adaptive-moments.ts'

const gradients = [
  [1, -2],
  [0.5, 3],
  [-4, 0.1],
  [0.01, -0.02],
  [2, 2],
  [0, -1],
]

function run(options: Parameters<typeof adaptiveMoments>[0], given = gradients): Move[] {
  const at = beginning(2)
  const stepping = adaptiveMoments(options).begin(at)
  return given.map((gradient, index) => {
    const move: Move = { direction: Float64Array.from(gradient), squares: null, metricSquares: null }
    stepping.apply(move, index + 1, at.start)
    return {
      direction: move.direction,
      squares: move.squares?.slice() ?? null,
      metricSquares: move.metricSquares?.slice() ?? null,
    }
  })
}

describe.each<[string, NonNullable<Parameters<typeof adaptiveMoments>[0]>['beta1'], Schedule]>([
  ['constant', 0.9, () => 0.9],
  ['decaying as beta / t', { value: 0.9, decay: 'linear' }, (t) => 0.9 / t],
  ['a function', (t) => 1 / (t + 1), (t) => 1 / (t + 1)],
])('with beta1 %s', (_, beta1, at) => {
  test('the recursion gives the closed form (4)', () => {
    const beta2 = 0.3
    const moves = run({ beta1, beta2, initialSecondMoment: 0, maxSecondMoment: false })
    moves.forEach((move, index) => {
      const t = index + 1
      for (let i = 0; i < 2; i++) {
        let m = 0
        let v = 0
        for (let j = 1; j <= t; j++) {
          let [product1, product2] = [1, 1]
          for (let k = 1; k <= t - j; k++) {
            product1 *= at(t - k + 1)
            product2 *= beta2
          }
          const g = gradients[j - 1]?.[i] as number
          m += product1 * (1 - at(j)) * g
          v += (1 - beta2) * product2 * g * g
        }
        expect(Math.abs((move.direction[i] as number) - m)).toBeLessThan(1e-12)
        expect(Math.abs((move.squares?.[i] as number) - v)).toBeLessThan(1e-12)
      }
    })
  })
})

test('without bias correction the first step is (1 - beta1) g over the root of (1 - beta2) g^2 + beta2 v_0', () => {
  const [move] = run({ beta1: 0.75, beta2: 0.5, initialSecondMoment: 2 }, [[4, -8]])
  expect(Array.from(move?.direction ?? [])).toEqual([1, -2])
  expect(Array.from(move?.squares ?? [])).toEqual([9, 33])
})

describe('the running maximum', () => {
  const peak = [[10], [0.1], [0.1]].map(([g]) => [g as number, 0])

  test('divides the step and weighs the projection', () => {
    const [first, , third] = run({ beta2: 0.5 }, peak)
    expect(third?.squares?.[0]).toBe(first?.squares?.[0])
    expect(third?.metricSquares).toEqual(third?.squares)
  })

  test('never falls', () => {
    const moves = run({})
    for (let t = 1; t < moves.length; t++) {
      for (let i = 0; i < 2; i++)
        expect(moves[t]?.squares?.[i]).toBeGreaterThanOrEqual(moves[t - 1]?.squares?.[i] as number)
    }
  })

  test('can be left out', () => {
    const [first, , third] = run({ beta2: 0.5, maxSecondMoment: false }, peak)
    expect(third?.squares?.[0]).toBeLessThan(0.3 * (first?.squares?.[0] as number))
    expect(third?.metricSquares).toEqual(third?.squares)
  })

  test('can be kept for the metric alone, as the reference code for universal attacks does', () => {
    const [first, , third] = run({ beta2: 0.5, maxSecondMoment: 'metric-only' }, peak)
    expect(third?.squares?.[0]).toBeLessThan(0.3 * (first?.squares?.[0] as number))
    expect(third?.metricSquares?.[0]).toBe(first?.squares?.[0])
  })

  test('starts from v_0, or from a value of its own', () => {
    const small = [[1e-3, 1e-3]]
    expect(run({ initialSecondMoment: 4, beta2: 0.5 }, small)[0]?.squares?.[0]).toBe(4)
    expect(run({ initialSecondMoment: 4, initialMaximum: 9 }, small)[0]?.squares?.[0]).toBe(9)
    expect(run({ initialSecondMoment: 4, initialMaximum: 0, beta2: 0.5 }, small)[0]?.squares?.[0]).toBe(2 + 0.5e-6)
  })
})

test('with the Euclidean projection the step is the same and the metric is gone', () => {
  const [mahalanobis, euclidean] = [run({}), run({ projection: 'euclidean' })]
  euclidean.forEach((move, t) => {
    expect(move.direction).toEqual(mahalanobis[t]?.direction)
    expect(move.squares).toEqual(mahalanobis[t]?.squares)
    expect(move.metricSquares).toBeNull()
  })
})

test('the first moment never exceeds the largest gradient seen', () => {
  for (const move of run({})) {
    expect(Math.abs(move.direction[0] as number)).toBeLessThanOrEqual(4)
    expect(Math.abs(move.direction[1] as number)).toBeLessThanOrEqual(3)
  }
})

test.each([
  [{ beta1: 1.5 }, 'adaptive-moments.beta1 must be at most 1, got 1.5'],
  [{ beta2: -0.1 }, 'adaptive-moments.beta2 must be at least 0, got -0.1'],
  [{ beta1: { value: 2, decay: 'linear' as const } }, 'adaptive-moments.beta1.value must be at most 1, got 2'],
  [{ initialSecondMoment: -1 }, 'adaptive-moments.initialSecondMoment must be at least 0, got -1'],
])('refuses %o', (options, message) => {
  expect(() => adaptiveMoments(options)).toThrow(message)
})
