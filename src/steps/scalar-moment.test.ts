import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import type { Move, Precision } from '../core/types.ts'
import { scalarMoment } from './scalar-moment.ts'

type Options = Parameters<typeof scalarMoment>[0]

/** The directions that a list of gradients becomes, one after the other. */
function directions(options: Options, given: readonly (readonly number[])[], precision: Precision = 'float64') {
  const at = beginning(given[0]?.length ?? 0, { precision })
  const stepping = scalarMoment(options).begin(at)
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
  scalarMoment().begin(at).apply(move, 1, at.start)
  expect([move.squares, move.metricSquares]).toEqual([null, null])
})
