import { describe, expect, test } from 'vitest'
import { scalarKernels } from '../kernels/scalar.ts'
import { minimizeSync } from '../run/minimize.ts'
import { box } from '../sets/box.ts'
import { quasiNewton } from '../solvers/quasi-newton.ts'
import { coordinatesOf, longestStep, settle } from './coordinates.ts'

const of = (precision: 'float64' | 'float32', set: object = { unbounded: true }) =>
  coordinatesOf({ dim: 3, precision, set, kernels: scalarKernels } as never)

describe('settling a point', () => {
  test('rounds it to the precision of the run', () => {
    const x = Float64Array.of(0.1, 1, -0.3)
    expect(settle(of('float64'), x.slice())).toEqual(x)
    expect(settle(of('float32'), x.slice())).toEqual(x.map(Math.fround))
  })

  test('brings it into the box', () => {
    const set = box({ lower: -1, upper: [1, 2, 3] })
    expect(settle(of('float64', set), Float64Array.of(5, -5, 2))).toEqual(Float64Array.of(1, -1, 2))
  })

  test('keeps it finite where nothing bounds it', () => {
    for (const [precision, most] of [
      ['float64', Number.MAX_VALUE / 4],
      ['float32', 3.4028234663852886e38 / 4],
    ] as const) {
      const settled = settle(of(precision), Float64Array.of(1e308, -Infinity, 7))
      expect(settled).toEqual(Float64Array.of(most, -most, 7))
    }
  })
})

test.each([1, 3, 150])('a line that falls forever is followed in steps of limited length: %i variables', (dim) => {
  let farthest = 3
  let growth = 0
  const line = (x: ArrayLike<number>): number => {
    const far = Math.max(...Array.from(x, Math.abs))
    growth = Math.max(growth, far / farthest)
    farthest = Math.max(farthest, far)
    return Array.from(x).reduce((sum, each) => sum + each, 0)
  }
  const start = Array<number>(dim).fill(3)
  const { value } = minimizeSync(line, start, { solver: quasiNewton(), maxQueries: 40 + 4 * dim })
  expect(value).toBeLessThan(-100)
  expect(growth).toBeLessThan(2 * longestStep)
})
