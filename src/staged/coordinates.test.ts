import { describe, expect, test } from 'vitest'
import { makeBegin } from '../core/begin.ts'
import { parseOptions } from '../core/parse-options.ts'
import type { SessionOptions } from '../core/session-options.ts'
import { sessionOptions } from '../core/session-table.ts'
import type { Begin } from '../core/types.ts'
import { scalarKernels } from '../kernels/scalar.ts'
import { minimizeSync } from '../run/minimize.ts'
import { box } from '../sets/box.ts'
import { quasiNewton } from '../solvers/quasi-newton.ts'
import { simba } from '../solvers/simba.ts'
import { coordinatesOf, longestStep, randomCoordinates, settle, sizeOf } from './coordinates.ts'

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

function begin(start: number[], options: Partial<SessionOptions> = {}): Begin {
  return makeBegin(start, parseOptions('session', sessionOptions, { solver: simba(), ...options }), () => undefined)
}

describe('coordinates', () => {
  test('have size 1 at least, or the width of a narrower box, or what the user says', () => {
    const free = coordinatesOf(begin([0, 5]))
    expect([sizeOf(free, Float64Array.of(0, 5), 0), sizeOf(free, Float64Array.of(0, 5), 1)]).toEqual([1, 5])
    const boxed = coordinatesOf(begin([0, 5], { set: box({ lower: [0, 5], upper: [0.25, 5] }) }))
    expect([...boxed.typical]).toEqual([0.25, 1])
    expect([...coordinatesOf(begin([0, 5]), [1e-3]).typical]).toEqual([1e-3, 1e-3])
    expect([...coordinatesOf(begin([0, 5]), [1e-3, 7]).typical]).toEqual([1e-3, 7])
  })

  test('know how they are rounded', () => {
    expect(coordinatesOf(begin([1])).unit).toBe(2 ** -53)
    const single = coordinatesOf(begin([1], { precision: 'float32' }))
    expect(single.unit).toBe(2 ** -24)
    expect(single.round(0.1)).toBe(Math.fround(0.1))
  })

  test('settle in the box, at the precision of the run, and never beyond what a number holds', () => {
    const boxed = coordinatesOf(begin([0.5, 0.5], { precision: 'float32', set: box({ lower: 0.1, upper: 0.9 }) }))
    const [low, high] = settle(boxed, Float64Array.of(-3, 5)) as unknown as [number, number]
    expect([Math.fround(low), Math.fround(high)]).toEqual([low, high])
    expect(low >= 0.1 && low < 0.1001 && high <= 0.9 && high > 0.8999).toBe(true)
    const free = coordinatesOf(begin([1, 1]))
    expect([...settle(free, Float64Array.of(Infinity, 0.1))]).toEqual([Number.MAX_VALUE / 4, 0.1])
  })
})

test('random coordinates are distinct, and the same for the same address', () => {
  const address = { seed: 1, iteration: 2, row: 3 }
  const chosen = randomCoordinates(100, 10, address)
  expect(new Set(chosen).size).toBe(10)
  expect(chosen.every((each) => each >= 0 && each < 100)).toBe(true)
  expect(randomCoordinates(100, 10, address)).toEqual(chosen)
  expect(randomCoordinates(100, 10, { ...address, iteration: 4 })).not.toEqual(chosen)
  expect([...randomCoordinates(4, 4, address)].sort()).toEqual([0, 1, 2, 3])
})
