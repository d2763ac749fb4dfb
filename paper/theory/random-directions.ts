import { sphere } from '../../src/index.ts'
import { beginOf } from './begin-of.ts'

/** Shows vectors drawn uniformly from the unit sphere of R^dim by the library's own sampler. The array is reused. */
export function onSphere(dim: number, count: number, seed: number, use: (u: Float64Array) => void): void {
  const rows = sphere().start(beginOf(dim, { seed }), 1)
  const origin = new Float64Array(dim)
  const u = new Float64Array(dim)
  for (let iteration = 1; iteration <= count; iteration++) {
    rows.write(origin, 1, { seed, iteration }, 0, u, 0)
    use(u)
  }
}

/**
 * Shows vectors drawn uniformly from the unit ball of R^dim. Two coordinates left out of a point on the sphere of
 * R^(dim + 2) leave such a vector (Archimedes' hat-box theorem), so no roots of order dim are needed.
 */
export function inBall(dim: number, count: number, seed: number, use: (u: Float64Array) => void): void {
  onSphere(dim + 2, count, seed, (u) => use(u.subarray(0, dim)))
}
