import { describe, expect, test } from 'vitest'
import type { RunContext } from '../../optimizer/core/types.ts'
import { scalarKernels } from '../../optimizer/kernels/scalar.ts'
import { CellSlopes, Cells } from './cell-slopes.ts'

const at = { kernels: scalarKernels, precision: 'float64' } as RunContext

describe('cells', () => {
  test('are single pixels up to 1,024 of them, and squares of larger images', () => {
    const sideOf = (side: number) => new Cells({ channels: 3, height: side, width: side })
    expect([28, 32, 33, 224, 299].map((side) => sideOf(side).side)).toEqual([1, 1, 2, 7, 10])
    expect(sideOf(299)).toMatchObject({ down: 30, across: 30, count: 2700 })
  })

  test('sum what changes in them, of a window the part that they share with it', () => {
    const cells = new Cells({ channels: 2, height: 60, width: 50 })
    expect(cells.side).toBe(2)
    const a = new Float64Array(6000).fill(3)
    const b = new Float64Array(6000).fill(1)
    const sums = new Float32Array(cells.count)
    const around = cells.sums(a, b, 4, { top: 3, left: 2, height: 3, width: 3 }, sums)
    expect(around).toEqual({ top: 1, left: 1, height: 2, width: 2 })
    // Rows 3 | 4 5, columns 2 3 | 4, half a unit per pixel.
    expect(Array.from(sums.subarray(0, 8))).toEqual([1, 0.5, 2, 1, 1, 0.5, 2, 1])
    const window = { top: 3, left: 2, height: 3, width: 3 }
    expect([cells.coveredDown(window, 1), cells.coveredAcross(window, 1)]).toEqual([0.5, 1])
  })
})

describe('slopes', () => {
  test('of a linear function are learned from what random changes did, of each output its own', () => {
    const cells = new Cells({ channels: 1, height: 6, width: 6 })
    const model = new CellSlopes(at, cells, 2)
    const window = { top: 0, left: 0, height: 6, width: 6 }
    const truth = [(i: number) => (i % 6) - 2.5, (i: number) => 1 - Math.floor(i / 6)]
    let word = 1
    const change = () =>
      Float32Array.from({ length: 36 }, () => {
        word = Math.imul(word, 1103515245) + 12345
        return ((word >>> 16) % 3) - 1
      })
    const risesOf = (by: Float32Array) =>
      Float64Array.from(truth, (slope) => by.reduce((sum, each, i) => sum + each * slope(i), 0))
    for (let i = 0; i < 300; i++) {
      const by = change()
      model.learn(by, window, risesOf(by), { seed: 1, iteration: i, row: 0 })
    }
    for (const output of [0, 1]) {
      const errors = Array.from({ length: 36 }, (_, i) => Math.abs(model.slope(output, i) - (truth[output]?.(i) ?? 0)))
      expect(Math.max(...errors)).toBeLessThan(0.05)
    }
    const by = change()
    expect(model.rise(0, by, window)).toBeCloseTo(risesOf(by)[0] as number, 0)
  })

  test('an answer that says nothing teaches nothing', () => {
    const cells = new Cells({ channels: 1, height: 2, width: 2 })
    const model = new CellSlopes(at, cells, 1)
    const window = { top: 0, left: 0, height: 2, width: 2 }
    model.learn(Float32Array.of(1, 0, 0, 0), window, Float64Array.of(Number.NaN), { seed: 1, iteration: 0, row: 0 })
    model.learn(new Float32Array(4), window, Float64Array.of(5), { seed: 1, iteration: 1, row: 0 })
    expect([0, 1, 2, 3].map((cell) => model.slope(0, cell))).toEqual([0, 0, 0, 0])
  })
})
