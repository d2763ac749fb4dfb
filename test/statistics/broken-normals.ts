import { tileSize } from '../../src/optimizer/kernels/normals.ts'
import { randomUniform } from '../../src/optimizer/kernels/random.ts'
import type { Normals } from './normal-sample.ts'

/** The given generator with each tile changed afterwards. */
function changed(normals: Normals, change: (tile: Float32Array) => void): Normals {
  return (at, tile, count, into) => {
    normals(at, tile, count, into)
    change(into)
  }
}

/** The given generator with each normal changed afterwards. */
function each(normals: Normals, change: (z: number, place: number) => number): Normals {
  return changed(normals, (tile) => {
    for (let i = 0; i < tile.length; i++) tile[i] = change(tile[i] as number, i)
  })
}

/** Each normal mixed with an earlier one of its tile: correlation `weight` at that lag, and still normal. */
function mixed(normals: Normals, lag: number, weight: number): Normals {
  return changed(normals, (tile) => {
    for (let i = tile.length - 1; i >= lag; i--) {
      tile[i] = Math.sqrt(1 - weight * weight) * (tile[i] as number) + weight * (tile[i - lag] as number)
    }
  })
}

/**
 * Mistakes a generator could have. Each is small, or leaves most properties as they are, so that a statistic that
 * finds it deserves its place.
 */
export function brokenNormals(normals: Normals) {
  return {
    'a mean of 0.01': each(normals, (z) => z + 0.01),
    'a variance of 1.05': each(normals, (z) => Math.sqrt(1.05) * z),
    'a skewness of 0.012': each(normals, (z) => z + 0.002 * (z * z - 1)),
    'a kurtosis of 2.952': each(normals, (z) => z - 0.002 * (z * z * z - 3 * z)),
    'no tails beyond 4': each(normals, (z) => (Math.abs(z) > 4 ? z / 2 : z)),
    'twice the tail beyond 4': each(normals, (z) => (Math.abs(z) > 3.838 && Math.abs(z) < 4 ? z * 1.05 : z)),
    'a grid of 1/512': each(normals, (z) => Math.round(z * 512) / 512),
    'one bad place of eight': each(normals, (z, place) => (place % 8 === 5 ? 1.02 * z : z)),
    'correlation 0.01 at lag 1': mixed(normals, 1, 0.01),
    'correlation 0.01 at lag 4': mixed(normals, 4, 0.01),
    'correlation 0.01 at lag 64': mixed(normals, 64, 0.01),

    /** Sizes that follow each other, signs that do not: no correlation, but one of the squares. */
    'clusters of large values': changed(normals, (tile) => {
      for (let i = tile.length - 1; i >= 8; i--)
        tile[i] = (tile[i] as number) * ((tile[i - 8] as number) ** 2 > 1 ? 1.01 : 0.99)
    }),

    /** Radius and angle made of bits of one and the same word. */
    'one word for radius and angle': ((at, tile, count, into) => {
      for (let i = 0; i < count; i++) {
        const u = 1 - randomUniform(at, 'noise', tile * tileSize + (i & ~4))
        const angle = 2 * Math.PI * u * 8
        into[i] = Math.sqrt(-2 * Math.log(u)) * ((i & 4) === 0 ? Math.cos(angle) : Math.sin(angle))
      }
    }) as Normals,

    /** Two pairs share their radius; angles are their own. */
    'one radius for two pairs': changed(normals, (tile) => {
      for (let i = 0; i < tile.length; i += 8) {
        const [a, b, c, d] = [tile[i], tile[i + 4], tile[i + 1], tile[i + 5]] as [number, number, number, number]
        const factor = Math.hypot(a, b) / Math.hypot(c, d)
        tile[i + 1] = c * factor
        tile[i + 5] = d * factor
      }
    }),

    /** The sign of the eighth is the product of those of the seven before it: any seven of them are independent. */
    'a parity of signs': changed(normals, (tile) => {
      for (let i = 0; i < tile.length; i += 8) {
        let sign = 1
        for (let k = 0; k < 7; k++) sign *= (tile[i + k] as number) > 0 ? 1 : -1
        tile[i + 7] = sign * Math.abs(tile[i + 7] as number)
      }
    }),

    'the same in every tile': ((at, _, count, into) => normals(at, 0, count, into)) as Normals,
    'the same in every row': ((at, tile, count, into) => normals({ ...at, row: 0 }, tile, count, into)) as Normals,
    'the same in every iteration': ((at, tile, count, into) =>
      normals({ ...at, iteration: 1 }, tile, count, into)) as Normals,
    'row plus iteration': ((at, tile, count, into) =>
      normals({ ...at, iteration: at.iteration + at.row, row: 0 }, tile, count, into)) as Normals,
    'seed plus row': ((at, tile, count, into) =>
      normals({ ...at, seed: at.seed + at.row, row: 0 }, tile, count, into)) as Normals,
    'half of the seed': ((at, tile, count, into) =>
      normals({ ...at, seed: at.seed % 2 ** 32 }, tile, count, into)) as Normals,
    'a twentieth of the next seed': ((at, tile, count, into) => {
      normals(at, tile, count, into)
      const other = new Float32Array(count)
      normals({ ...at, seed: at.seed + 1 }, tile, count, other)
      for (let i = 0; i < count; i++) {
        into[i] = Math.sqrt(1 - 0.0025) * (into[i] as number) + 0.05 * (other[i] as number)
      }
    }) as Normals,

    /** All rows run through one stream, each from a place of its own: as if streams were seeded by skipping ahead. */
    'streams that overlap': ((at, _, count, into) => {
      const two = new Float32Array(2 * tileSize)
      normals({ seed: 0, iteration: 0, row: 0 }, 0, tileSize, two.subarray(0, tileSize))
      normals({ seed: 0, iteration: 0, row: 0 }, 1, tileSize, two.subarray(tileSize))
      const start = 8 * ((at.row * 16 + at.iteration) % 400)
      into.set(two.subarray(start, start + count))
    }) as Normals,

    /** Means over a tile are too good: antithetic halves. */
    'halves that cancel': changed(normals, (tile) => {
      for (let i = 0; i < tile.length / 2; i++) tile[i + tile.length / 2] = -(tile[i] as number)
    }),
  } satisfies Record<string, Normals>
}
