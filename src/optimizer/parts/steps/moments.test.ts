import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { beginning } from '../../../../test/conformance/directions.ts'
import type { Move, Precision, Schedule } from '../../core/types.ts'
import { adaptiveMoments, momentum, radazo, scalarMoment } from './moments.ts'

describe('momentum', () => {
  test('is a running average that starts at 0, and its share may follow a schedule', () => {
    const at = beginning(1)
    const stepping = momentum({ beta: { value: 0.5, decay: 'linear' } }).start(at)
    const averages = [4, 8, 6].map((gradient, index) => {
      const move = { direction: Float64Array.of(gradient), squares: null, metricSquares: null }
      stepping.apply(move, index + 1, at.start)
      return move.direction[0]
    })
    // beta_t = 1/2, 1/4, 1/6.
    expect(averages).toEqual([2, 6.5, expect.closeTo(6.5 / 6 + 5, 12)])
  })
})

describe('adaptive moments', () => {
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
    const stepping = adaptiveMoments(options).start(at)
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
})

describe('radazo', () => {
  const gradients = [
    [1, -2],
    [0.5, 3],
    [-4, 0.1],
  ]

  /** All that each move says, copied. */
  function moves(options: Parameters<typeof radazo>[0]) {
    const at = beginning(2)
    const stepping = radazo(options).start(at)
    return gradients.map((gradient, index) => {
      const move: Move = { direction: Float64Array.from(gradient), squares: null, metricSquares: null }
      stepping.apply(move, index + 1, at.start)
      return {
        direction: Array.from(move.direction),
        squares: Array.from(move.squares ?? []),
        metricSquares: move.metricSquares && Array.from(move.metricSquares),
      }
    })
  }

  test('the second moment is that of the momentum', () => {
    const [first, second, third] = moves({ beta1: 0.5, beta2: 0.5, initialSecondMoment: 0, epsilon: 0 })
    // m = (.5, -1), (.5, 1), (-1.75, .55); v = half of v and half of m^2.
    expect(first).toMatchObject({ direction: [0.5, -1], squares: [0.125, 0.5] })
    expect(second).toMatchObject({ direction: [0.5, 1], squares: [0.1875, 0.75] })
    expect(third?.direction).toEqual([-1.75, expect.closeTo(0.55, 14)])
    expect(third?.squares).toEqual([1.625, expect.closeTo(0.52625, 14)])
  })

  test('v_0 counts as the past, and epsilon is added inside the root', () => {
    const [first] = moves({ beta1: 0.5, beta2: 0.75, initialSecondMoment: 4, epsilon: 0.5 })
    expect(first?.squares).toEqual([3 + 0.0625 + 0.5, 3 + 0.25 + 0.5])
  })

  describe('the metric of the projection', () => {
    test('is what the step is divided by', () => {
      for (const { squares, metricSquares } of moves({})) expect(metricSquares).toEqual(squares)
    })

    test('can be Euclidean', () => {
      for (const { metricSquares } of moves({ projection: 'euclidean' })) expect(metricSquares).toBeNull()
    })
  })

  test('the share of the past may follow a schedule', () => {
    const [, second] = moves({ beta1: 0, beta2: { value: 0.5, decay: 'linear' }, initialSecondMoment: 0, epsilon: 0 })
    // beta2 = 1/2, 1/4.
    expect(second?.squares).toEqual([0.125 + 0.1875, 0.5 + 6.75])
  })
})

describe('scalar moment', () => {
  type Options = Parameters<typeof scalarMoment>[0]

  /** The directions that a list of gradients becomes, one after the other. */
  function directions(options: Options, given: readonly (readonly number[])[], precision: Precision = 'float64') {
    const at = beginning(given[0]?.length ?? 0, { precision })
    const stepping = scalarMoment(options).start(at)
    const steps = given.map((gradient, index) => {
      const direction = at.kernels.allocate(at.dim, precision)
      direction.set(gradient)
      const move: Move = { direction, squares: null, metricSquares: null }
      stepping.apply(move, index + 1, at.start)
      return Array.from(move.direction)
    })
    return { steps, memory: stepping.memory }
  }

  const entry = fc.integer({ min: -1000, max: 1000 })

  const norm = (x: readonly number[] | undefined) => Math.hypot(...(x ?? []))

  test('the first step is (1 - beta1) g over the root of beta2 v_0 + (1 - beta2) mean(g^2)', () => {
    const { steps, memory } = directions({ beta1: 0.75, beta2: 0.5, initialSecondMoment: 2 }, [[3, -4, 0, 0]])
    // mean(g^2) = 25 / 4, v = 1 + 3.125.
    const root = Math.sqrt(4.125)
    expect(steps[0]).toEqual([0.75 / root, -1 / root, 0, 0])
    expect(memory.state?.second).toBe(4.125)
  })

  test('the recursions are those of Algorithm 1 with one second moment', () => {
    const gradients = [
      [1, -2],
      [0.5, 3],
      [-4, 0.1],
    ]
    const { steps } = directions({ beta1: 0.5, beta2: 0.5, initialSecondMoment: 0 }, gradients)
    // Means of squares 2.5, 4.625, 8.005; v = 1.25, 2.9375, 5.47125; m = (.5, -1), (.5, 1), (-1.75, .55).
    const expected = [
      [0.5 / Math.sqrt(1.25), -1 / Math.sqrt(1.25)],
      [0.5 / Math.sqrt(2.9375), 1 / Math.sqrt(2.9375)],
      [-1.75 / Math.sqrt(5.47125), 0.55 / Math.sqrt(5.47125)],
    ]
    steps.forEach((step, t) =>
      step.forEach((each, i) => {
        expect(each).toBeCloseTo(expected[t]?.[i] as number, 13)
      }),
    )
  })

  test('the direction of the momentum is kept: coordinates are not told apart', () => {
    const { steps } = directions({ beta1: 0 }, [[1, 10, -100]])
    const [a, b, c] = steps[0] as [number, number, number]
    expect([b / a, c / a]).toEqual([expect.closeTo(10, 12), expect.closeTo(-100, 12)])
  })

  describe('the running maximum', () => {
    const falling = [10, 1, 0.1, 0.01].map((size) => [size, -size])

    test('lets steps shrink with the gradient', () => {
      const { steps, memory } = directions({ beta1: 0 }, falling)
      expect(norm(steps[3]) / norm(steps[0])).toBeCloseTo(1e-3, 12)
      expect(memory.state?.maximum).toBeCloseTo(0.7 * 100, 3)
    })

    test('can be left out: then a step is as long however small the gradient is', () => {
      const steady = Array.from({ length: 40 }, () => [1e-3, -1e-3])
      const { steps, memory } = directions({ beta1: 0, maxSecondMoment: false }, [[10, -10], ...steady])
      expect(norm(steps[40])).toBeCloseTo(Math.SQRT2, 6)
      expect(Object.keys({ ...memory.vectors, ...memory.state })).toEqual(['first', 'second'])
    })
  })

  test('steps do not depend on the scale of the objective once v_0 is 0', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(entry, entry, entry), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: -20, max: 20 }),
        (gradients, power) => {
          const scaled = gradients.map((gradient) => gradient.map((each) => each * 2 ** power))
          const options = { initialSecondMoment: 0 }
          expect(directions(options, scaled).steps).toEqual(directions(options, gradients).steps)
        },
      ),
    )
  })

  test('the mean of squares survives float32 where their sum would not', () => {
    const { steps, memory } = directions({ beta1: 0 }, [[1e19, 1e19, 1e19, 1e19]], 'float32')
    expect(memory.state?.second).toBeCloseTo(7e37, -32)
    expect(steps[0]?.[0]).toBeCloseTo(1 / Math.sqrt(0.7), 6)
  })

  test('a second moment of 0 gives no step, and an overflow does not end all steps', () => {
    expect(directions({ initialSecondMoment: 0 }, [[1e-200, 0]]).steps[0]).toEqual([0, 0])
    const { steps } = directions({ beta1: 0, maxSecondMoment: false }, [
      [1e200, 1e200],
      ...Array.from({ length: 700 }, () => [1, 1]),
    ])
    expect(steps.flat().every(Number.isFinite)).toBe(true)
    expect(steps[700]?.[0]).toBeCloseTo(1, 6)
  })

  test('neither a division nor a metric is left from steps before it', () => {
    const at = beginning(2)
    const move: Move = {
      direction: Float64Array.of(1, 2),
      squares: Float64Array.of(4, 4),
      metricSquares: Float64Array.of(1, 9),
    }
    scalarMoment().start(at).apply(move, 1, at.start)
    expect([move.squares, move.metricSquares]).toEqual([null, null])
  })
})
