import { describe, expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { minimizeSync } from '../run/minimize.ts'
import { box } from '../sets/box.ts'
import { simplex } from '../sets/simplex.ts'
import { zoSMD } from '../solvers/zo-smd.ts'
import { entropy } from './entropy.ts'

function advanced(start: number[], rate: number, gradient: number[], squares?: number[], sum = 1): number[] {
  const x = Float64Array.from(start)
  const mirror = entropy().begin(beginning(start.length, { start, set: simplex({ sum }) }))
  const direction = Float64Array.from(gradient)
  mirror.advance(x, rate, {
    direction,
    squares: squares === undefined ? null : Float64Array.from(squares),
    metricSquares: null,
  })
  return Array.from(x)
}

test('multiplies by exp(-rate g) and normalises', () => {
  const [x, g, rate] = [[0.5, 0.3, 0.2], [1, -2, 0.5], 0.7]
  const products = x.map((each, i) => each * Math.exp(-rate * (g[i] as number)))
  const total = products.reduce((sum, each) => sum + each)
  advanced(x, rate, g).forEach((each, i) => expect(each).toBeCloseTo((products[i] as number) / total, 14))
})

test('divides by the root of the squares where a step asks for it', () => {
  expect(advanced([0.5, 0.5], 0.7, [4, -2], [4, 16])).toEqual(advanced([0.5, 0.5], 0.7, [2, -0.5]))
})

test('keeps any sum', () => {
  const x = advanced([2, 1, 0.5], 0.7, [1, -2, 0.5], undefined, 3.5)
  expect(x.reduce((sum, each) => sum + each)).toBeCloseTo(3.5, 14)
})

test('a zero stays a zero, even where its exponent overflows', () => {
  const x = advanced([0.5, 0.5, 0], 1, [0, 1, -1e6])
  expect(x[2]).toBe(0)
  expect(x[0]).toBeCloseTo(1 / (1 + Math.exp(-1)), 14)
})

test('steps too steep for any exponential end in a corner', () => {
  expect(advanced([0.5, 0.25, 0.25], 1, [1e6, -1e6, 0])).toEqual([0, 1, 0])
})

describe('ZO-SMD with it', () => {
  test('finds the best corner of a linear function on the simplex and never leaves the simplex', () => {
    const set = simplex()
    const cost = [0.5, 0.2, 0.9, 0.4]
    const result = minimizeSync(
      (x) => cost.reduce((sum, c, i) => sum + c * (x[i] as number), 0),
      [0.25, 0.25, 0.25, 0.25],
      {
        solver: zoSMD({ mirror: entropy(), learningRate: 1 }),
        set,
        maxIterations: 200,
      },
    )
    expect(result.value - 0.2).toBeLessThan(1e-3)
    expect(result.value).toBeGreaterThanOrEqual(0.2 - 1e-12)
    expect(set.contains(result.point)).toBe(true)
    expect(result.point[1]).toBeGreaterThan(0.99)
  })

  test('needs a simplex', () => {
    const f = (): number => 0
    const message = 'entropy works on a simplex only; give set: simplex({ sum })'
    const solver = zoSMD({ mirror: entropy() })
    expect(() => minimizeSync(f, [1, 2], { solver })).toThrow(message)
    expect(() => minimizeSync(f, [1, 2], { solver, set: box({ lower: 0 }) })).toThrow(message)
  })
})
