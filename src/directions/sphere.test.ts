import { expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import type { Kernels } from '../kernels/kernels.ts'
import { scalarKernels } from '../kernels/scalar.ts'
import { sphere } from './sphere.ts'

test.each([1, 2, 3, 7, 8, 9, 100, 4095, 4097, 9001])('directions in %i dimensions have length 1', (dim) => {
  const rows = sphere().begin(beginning(dim), 3)
  const u = new Float64Array(dim)
  for (let row = 0; row < 3; row++) {
    rows.write(new Float64Array(dim), 1, { seed: 2, iteration: 5 }, row, u, 0)
    expect(Math.abs(Math.hypot(...u) - 1)).toBeLessThan(1e-6)
  }
})

test('their mean is 0', () => {
  const [dim, count] = [3, 3000]
  const rows = sphere().begin(beginning(dim), count)
  const sum = new Float64Array(dim)
  const u = new Float64Array(dim)
  for (let row = 0; row < count; row++) {
    rows.write(new Float64Array(dim), 1, { seed: 2, iteration: 5 }, row, u, 0)
    u.forEach((each, i) => {
      sum[i] = (sum[i] as number) + each
    })
  }
  // Four standard errors; the variance of u_i is 1 / d.
  for (const each of sum) expect(Math.abs(each / count)).toBeLessThan(4 / Math.sqrt(dim * count))
})

test('a row of nothing but zeros is the point itself, not a division by 0', () => {
  // In one dimension about one row in 2^23 has a normal of exactly 0.
  const zeros: Kernels = {
    ...scalarKernels,
    normalsSquared: () => 0,
    perturb(x, scale, _, into, offset) {
      x.forEach((each, i) => {
        into[offset + i] = each + scale * 0
      })
    },
  }
  const rows = sphere().begin(beginning(1, { kernels: zeros }), 1)
  const into = new Float64Array(1)
  rows.write(Float64Array.of(3), 1e-3, { seed: 0, iteration: 1 }, 0, into, 0)
  expect(into[0]).toBe(3)
})
