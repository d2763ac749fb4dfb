import type { Kernels } from '../../src/optimizer/kernels/kernels.ts'
import { tileSize } from '../../src/optimizer/kernels/normals.ts'
import type { RandomRow } from '../../src/optimizer/kernels/random.ts'
import { normalUpper, normalUpperQuantile } from './distributions.ts'
import { chiSquareScore, chiSquareValueScore, countScore, distanceScore, type Scores } from './scores.ts'

/** A generator of normals under test: the library's, or one that was broken on purpose. */
export type Normals = Kernels['normals']

/** `tiles` whole tiles of one row. */
export function longRow(normals: Normals, at: RandomRow, tiles: number, into = new Float32Array(tiles * tileSize)) {
  for (let tile = 0; tile < tiles; tile++) {
    normals(at, tile, tileSize, into.subarray(tile * tileSize, (tile + 1) * tileSize))
  }
  return into
}

/** The first `width` normals of each of ten rows of each of many iterations: what a run in few dimensions uses. */
export function shortRows(normals: Normals, seed: number, iterations: number, width: number): Float32Array {
  const sample = new Float32Array(iterations * 10 * width)
  for (let i = 0; i < iterations * 10; i++) {
    const at = { seed, iteration: 1 + Math.floor(i / 10), row: i % 10 }
    normals(at, 0, width, sample.subarray(i * width, (i + 1) * width))
  }
  return sample
}

/** Something measured on a sample that is handed over in parts. */
export interface Statistic {
  add(sample: Float32Array): void
  scores(): Scores
}

/** The mean of z^k for k = 1 to 6; its variance is (E z^2k - (E z^k)^2) / n. */
export function moments(): Statistic {
  const expected = [1, 0, 1, 0, 3, 0, 15, 0, 105, 0, 945, 0, 10395]
  const sums = new Float64Array(7)
  let n = 0
  return {
    add(sample) {
      let [s1, s2, s3, s4, s5, s6] = [0, 0, 0, 0, 0, 0]
      for (let i = 0; i < sample.length; i++) {
        const z = sample[i] as number
        const zz = z * z
        s1 += z
        s2 += zz
        s3 += zz * z
        s4 += zz * zz
        s5 += zz * zz * z
        s6 += zz * zz * zz
      }
      ;[0, s1, s2, s3, s4, s5, s6].forEach((sum, k) => {
        sums[k] = (sums[k] as number) + sum
      })
      n += sample.length
    },
    scores: () =>
      Object.fromEntries(
        [1, 2, 3, 4, 5, 6].map((k) => {
          const mean = expected[k] as number
          const variance = (expected[2 * k] as number) - mean * mean
          return [`moment ${k}`, ((sums[k] as number) / n - mean) / Math.sqrt(variance / n)]
        }),
      ),
  }
}

/** How many normals lie beyond each limit, above and below. */
export function tails(limits: readonly number[]): Statistic {
  const above = limits.map(() => 0)
  const below = limits.map(() => 0)
  let n = 0
  return {
    add(sample) {
      limits.forEach((limit, k) => {
        let [over, under] = [0, 0]
        for (let i = 0; i < sample.length; i++) {
          const z = sample[i] as number
          if (z > limit) over++
          if (z < -limit) under++
        }
        above[k] = (above[k] as number) + over
        below[k] = (below[k] as number) + under
      })
      n += sample.length
    },
    scores: () =>
      Object.fromEntries(
        limits.flatMap((limit, k) => [
          [`above ${limit}`, countScore(above[k] as number, n, normalUpper(limit))],
          [`below -${limit}`, countScore(below[k] as number, n, normalUpper(limit))],
        ]),
      ),
  }
}

/** Counts in equally likely bins: of all normals, and of each of the eight places of a step. */
export function bins(count: number): Statistic {
  const binOf = makeBinOf(count)
  const counts = new Float64Array(8 * count)
  return {
    add(sample) {
      for (let i = 0; i < sample.length; i++) {
        const cell = (i & 7) * count + binOf(sample[i] as number)
        counts[cell] = (counts[cell] as number) + 1
      }
    },
    scores() {
      const all = Array.from({ length: count }, (_, b) =>
        [0, 1, 2, 3, 4, 5, 6, 7].reduce((sum, place) => sum + (counts[place * count + b] as number), 0),
      )
      const places = [0, 1, 2, 3, 4, 5, 6, 7].map((place) => [
        `${count} bins, place ${place} of 8`,
        chiSquareScore(counts.subarray(place * count, (place + 1) * count)),
      ])
      return { [`${count} bins`]: chiSquareScore(all), ...Object.fromEntries(places) }
    },
  }
}

/** Kolmogorov's distance to the normal distribution. */
export function distance(sample: Float32Array): Scores {
  return { 'distance to the normal distribution': distanceScore(sample, (x) => normalUpper(-x)) }
}

/** Means and variances over many seeds: their scores must themselves be spread like normals. */
export function spreadOverSeeds(normals: Normals, seeds: number): Scores {
  const means = new Float64Array(seeds)
  const variances = new Float64Array(seeds)
  const tile = new Float32Array(tileSize)
  for (let seed = 0; seed < seeds; seed++) {
    normals({ seed, iteration: 1, row: 0 }, 0, tileSize, tile)
    means[seed] = tile.reduce((sum, z) => sum + z, 0) / Math.sqrt(tileSize)
    const squares = tile.reduce((sum, z) => sum + z * z, 0)
    // The sum of squares is chi-square; its score is exact.
    variances[seed] = chiSquareValueScore(squares, tileSize)
  }
  const lower = (x: number) => normalUpper(-x)
  return {
    'spread of means over seeds': distanceScore(means, lower),
    'spread of variances over seeds': distanceScore(variances, lower),
  }
}

/** The number of the equally likely bin that holds z: a table on a fine grid, then the few edges that are left. */
export function makeBinOf(count: number): (z: number) => number {
  const edges = Float64Array.from({ length: count + 1 }, (_, i) =>
    i === 0 ? -Infinity : i === count ? Infinity : normalUpperQuantile(1 - i / count),
  )
  const [reach, fineness] = [6, 1024]
  const first = new Int32Array(2 * reach * fineness + 1)
  for (let cell = 0, bin = 0; cell < first.length; cell++) {
    while ((edges[bin + 1] as number) <= cell / fineness - reach) bin++
    first[cell] = bin
  }
  return (z) => {
    const cell = z <= -reach ? 0 : z >= reach ? first.length - 1 : Math.floor((z + reach) * fineness)
    let bin = z < -reach ? 0 : (first[cell] as number)
    while ((edges[bin + 1] as number) <= z) bin++
    return bin
  }
}

/**
 * Radii of pairs (four places apart) in rings of halved probability: P(r^2 > 2 k ln 2) = 2^-k. Reaches further out than
 * the normals themselves, two of which share each radius.
 */
export function rings(first: number, last: number): Statistic {
  const counts = new Float64Array(last + 1)
  const start = 2 * first * Math.LN2
  let n = 0
  return {
    add(sample) {
      for (let i = 0; i < sample.length; i += 8) {
        for (let k = i; k < i + 4; k++) {
          const [c, s] = [sample[k] as number, sample[k + 4] as number]
          const squared = c * c + s * s
          if (squared < start) continue
          const ring = Math.min(last, Math.floor(squared / (2 * Math.LN2)))
          counts[ring] = (counts[ring] as number) + 1
        }
      }
      n += sample.length / 2
    },
    scores: () =>
      Object.fromEntries(
        Array.from(counts, (count, k) => {
          const [low, high] = [k, k + 1].map((edge) => Math.sqrt(2 * edge * Math.LN2).toFixed(3)) as [string, string]
          const name = k === last ? `radii beyond ${low}` : `radii from ${low} to ${high}`
          return [name, countScore(count, n, k === last ? 2 ** -k : 2 ** -(k + 1))] as const
        }).slice(first),
      ),
  }
}
