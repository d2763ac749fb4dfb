import { describe, expect, test } from 'vitest'
import { beginning } from '../../../../test/conformance/directions.ts'
import type { Kernels } from '../../kernels/kernels.ts'
import { scalarKernels } from '../../kernels/scalar.ts'
import { orthogonal } from './orthogonal.ts'

const key = { seed: 3, iteration: 2 }

function directions(dim: number, count: number): Float64Array[] {
  const rows = orthogonal().start(beginning(dim), count)
  return Array.from({ length: rows.count }, (_, row) => {
    const u = new Float64Array(dim)
    rows.write(new Float64Array(dim), 1, key, row, u, 0)
    return u
  })
}

function dot(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, each, i) => sum + each * (b[i] as number), 0)
}

describe.each([
  [1, 1],
  [5, 3],
  [8, 8],
  [4100, 4],
])('in %i dimensions', (dim, count) => {
  test(`${count} directions are orthonormal`, () => {
    const u = directions(dim, count)
    for (let i = 0; i < count; i++) {
      for (let j = 0; j <= i; j++) {
        const product = dot(u[i] as Float64Array, u[j] as Float64Array)
        expect(Math.abs(product - (i === j ? 1 : 0))).toBeLessThan(1e-12)
      }
    }
  })
})

test('as many as there are dimensions give the gradient of a linear function exactly', () => {
  const gradient = Float64Array.of(1, -2, 0.5, 3)
  const u = directions(4, 4)
  const estimate = new Float64Array(4)
  for (const each of u)
    each.forEach((entry, i) => (estimate[i] = (estimate[i] as number) + dot(gradient, each) * entry))
  estimate.forEach((each, i) => expect(Math.abs(each - (gradient[i] as number))).toBeLessThan(1e-12))
})

test('more than there are dimensions come in blocks, each orthonormal, all different', () => {
  const u = directions(3, 8)
  expect(u).toHaveLength(8)
  for (const [first, last] of [
    [0, 3],
    [3, 6],
    [6, 8],
  ] as const) {
    for (let i = first; i < last; i++) {
      for (let j = first; j <= i; j++) {
        expect(dot(u[i] as Float64Array, u[j] as Float64Array)).toBeCloseTo(i === j ? 1 : 0, 12)
      }
    }
  }
  expect(new Set(u.map(String)).size).toBe(8)
})

test('does not see which rows were written before', () => {
  const [dim, count] = [3, 8]
  const expected = directions(dim, count)
  const rows = orthogonal().start(beginning(dim), count)
  const u = new Float64Array(dim)
  for (const row of [7, 0, 4, 3, 7, 1]) {
    rows.write(new Float64Array(dim), 1, key, row, u, 0)
    expect(u).toEqual(expected[row])
  }
})

test('draws again where the rows it drew first were not independent', () => {
  // The first two rows of normals are the same; a second attempt takes rows that nobody else uses.
  const used: number[] = []
  const kernels: Kernels = {
    ...scalarKernels,
    normals(at, tile, count, into) {
      used.push(at.row)
      scalarKernels.normals({ ...at, row: at.row === 1 ? 0 : at.row }, tile, count, into)
    },
  }
  const rows = orthogonal().start(beginning(3, { kernels }), 2)
  const u = new Float64Array(6)
  rows.write(new Float64Array(3), 1, key, 0, u, 0)
  rows.write(new Float64Array(3), 1, key, 1, u, 3)
  expect(dot(u.subarray(0, 3), u.subarray(3))).toBeCloseTo(0, 12)
  expect(dot(u.subarray(3), u.subarray(3))).toBeCloseTo(1, 12)
  expect(Array.from(new Set(used))).toEqual([0, 1, 4, 5])
})

test('in one dimension a direction is +1 or -1', () => {
  for (const u of directions(1, 5)) expect(Math.abs(u[0] as number)).toBeCloseTo(1, 15)
})
