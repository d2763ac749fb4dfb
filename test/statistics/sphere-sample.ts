import { sphereCoordinateLower } from './distributions.ts'
import { chiSquareScore, distanceScore, type Scores } from './scores.ts'

/** Points that should be uniform on the unit sphere, one after the other. */
export interface SpherePoints {
  readonly dim: number
  readonly points: Float64Array
}

/** Each coordinate against its exact law: u_i^2 ~ Beta(1/2, (d - 1)/2); uniform on [-1, 1] in three dimensions. */
export function coordinates({ dim, points }: SpherePoints, which: readonly number[]): Scores {
  const lower = (x: number) => sphereCoordinateLower(Math.max(-1, Math.min(1, x)), dim)
  return Object.fromEntries(
    which.map((i) => {
      const sample = Float64Array.from({ length: points.length / dim }, (_, k) => points[k * dim + i] as number)
      return [`distance of coordinate ${i} to its law`, distanceScore(sample, lower)]
    }),
  )
}

/** Means over points of u_i, u_i^2, u_i^4 and u_i^2 u_j^2, the last ones against 3/(d(d+2)) and 1/(d(d+2)). */
export function sphereMoments({ dim, points }: SpherePoints): Scores {
  const n = points.length / dim
  // E u_i^2k = 1 3 ... (2k-1) / (d (d+2) ... (d+2k-2)).
  const [m2, m4] = [1 / dim, 3 / (dim * (dim + 2))]
  const m8 = (35 * m4) / ((dim + 4) * (dim + 6))
  const m22 = m4 / 3
  const m44 = (3 * m4) / ((dim + 4) * (dim + 6))
  let [s1, s2, s4, s22] = [0, 0, 0, 0]
  for (let i = 0; i < points.length; i += dim) {
    const [a, b] = [points[i] as number, points[i + 1] as number]
    s1 += a
    s2 += a * a
    s4 += a * a * a * a
    s22 += a * a * b * b
  }
  return {
    'mean of u': s1 / n / Math.sqrt(m2 / n),
    'mean of u^2': (s2 / n - m2) / Math.sqrt((m4 - m2 * m2) / n),
    'mean of u^4': (s4 / n - m4) / Math.sqrt((m8 - m4 * m4) / n),
    'mean of u_1^2 u_2^2': (s22 / n - m22) / Math.sqrt((m44 - m22 * m22) / n),
  }
}

/** In three dimensions: the eight octants, and 16 zones by 16 sectors of equal area (Archimedes). */
export function areas({ points }: SpherePoints): Scores {
  const octants = new Float64Array(8)
  const patches = new Float64Array(256)
  for (let i = 0; i < points.length; i += 3) {
    const [a, b, c] = [points[i] as number, points[i + 1] as number, points[i + 2] as number]
    const octant = (a > 0 ? 4 : 0) + (b > 0 ? 2 : 0) + (c > 0 ? 1 : 0)
    octants[octant] = (octants[octant] as number) + 1
    const zone = Math.min(15, Math.floor((c + 1) * 8))
    const patch = 16 * zone + (Math.floor((Math.atan2(b, a) / Math.PI + 1) * 8) % 16)
    patches[patch] = (patches[patch] as number) + 1
  }
  return { octants: chiSquareScore(octants), '256 equal areas': chiSquareScore(patches) }
}
