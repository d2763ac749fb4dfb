import { describe, expect, test } from 'vitest'
import { sphere } from '../src/index.ts'
import type { Kernels } from '../src/optimizer/kernels/kernels.ts'
import { tileSize } from '../src/optimizer/kernels/normals.ts'
import {
  type Purpose,
  philox,
  purposes,
  type RandomRow,
  randomBlock,
  randomInteger,
  randomUniform,
  randomWord,
} from '../src/optimizer/kernels/random.ts'
import { wasmKernels } from '../src/optimizer/kernels/wasm.ts'
import { beginning } from './conformance/directions.ts'
import { brokenNormals } from './statistics/broken-normals.ts'
import * as distributions from './statistics/distributions.ts'
import { allPairs, lags, pairing, partners, patterns } from './statistics/independence.ts'
import {
  bins,
  distance,
  longRow,
  moments,
  type Normals,
  type Statistic,
  shortRows,
  spreadOverSeeds,
  tails,
} from './statistics/normal-sample.ts'
import { equalBlocks, equalStretches } from './statistics/repetition.ts'
import { type Scores, suspicious } from './statistics/scores.ts'
import { areas, coordinates, type SpherePoints, sphereMoments } from './statistics/sphere-sample.ts'
import { avalanche, birthdaySpacings, integerUniformity, uniformity } from './statistics/words.ts'

// Seeds are fixed, so nothing here fails by chance. A score is standard normal under the hypothesis, and beyond 4.5 it is
// suspicious. Every statistic must also find a mistake that was made on purpose. Larger samples: test/long/random-quality.test.ts.

const kernels = wasmKernels(2 ** 20) as Kernels
const normals: Normals = (at, tile, count, into) => kernels.normals(at, tile, count, into)
const broken = brokenNormals(normals)
type Mistake = keyof typeof broken

const at = { seed: 1, iteration: 1, row: 0 }
const everyLag = [...Array.from({ length: 16 }, (_, i) => i + 1), 24, 32, 64, 512, 4096]

/** Each statistic, the tiles of the good generator it sees, and the tiles that are enough to find a mistake. */
const statistics: Record<string, [() => Statistic, number, number]> = {
  'moments 1 to 6': [moments, 1024, 512],
  'tails beyond 1 to 5': [() => tails([1, 2, 3, 4, 5]), 1024, 1024],
  '1024 bins, of all and of each place of a step': [() => bins(1024), 1024, 1024],
  'lags 1 to 16 and up to a tile': [() => lags(everyLag), 512, 256],
  'pairs of cosine and sine, and of neighbours': [partners, 512, 256],
  'patterns of signs and sizes': [patterns, 512, 256],
}

describe('the distributions that statistics are compared with', () => {
  const {
    chiSquareUpper,
    erfc,
    kolmogorovUpper,
    normalUpper,
    normalUpperQuantile,
    poissonLower,
    sphereCoordinateLower,
  } = distributions
  test.each([
    ['erfc(0.5)', erfc(0.5), 0.4795001221869535],
    ['erfc(-1)', erfc(-1), 1.842700792949715],
    ['erfc(3)', erfc(3), 2.209049699858544e-5],
    ['P(Z > 5)', normalUpper(5), 2.866515718791939e-7],
    ['the normal quantile of 2.5 %', normalUpperQuantile(0.025), 1.959963984540054],
    ['P(chi-square with 7 > 24.32)', chiSquareUpper(24.321886347856854, 7), 0.001],
    ['P(chi-square with 10 > 10)', chiSquareUpper(10, 10), 0.44049328506521257],
    ['P(Poisson of mean 4 <= 2)', poissonLower(2, 4), 13 * Math.exp(-4)],
    ['P(the Kolmogorov distance of many > 1.36 / sqrt n)', kolmogorovUpper(1.358098639e-6, 1e12), 0.05],
    ['the law of a coordinate in 3 dimensions', sphereCoordinateLower(0.3, 3), 0.65],
    ['the law of a coordinate in 4 dimensions', sphereCoordinateLower(0.5, 4), 0.8044988905221147],
  ])('%s', (_, value, expected) => {
    expect(Math.abs(value / expected - 1)).toBeLessThan(2e-5)
  })
})

const measure = (name: string, sample: Float32Array): Scores => {
  const [make, tiles] = statistics[name] as [() => Statistic, number, number]
  const statistic = make()
  statistic.add(sample.subarray(0, tiles * tileSize))
  return statistic.scores()
}

const sample = longRow(normals, at, 1024)

describe.each([
  ['4,194,304 normals of one row', sample],
  ['the first 8 normals of 262,140 rows', shortRows(normals, 7, 26_214, 8)],
  ['the first 3 normals of 262,140 rows', shortRows(normals, 8, 26_214, 3)],
])('%s have the right', (_, numbers) => {
  test.each(Object.keys(statistics))('%s', (name) => {
    expect(suspicious(measure(name, numbers))).toEqual({})
  })

  test('distribution', () => {
    expect(suspicious(distance(numbers.subarray(0, 2 ** 20)))).toEqual({})
  })
})

test('means and variances of 4,096 normals are spread over 2,048 seeds as they should be', () => {
  expect(suspicious(spreadOverSeeds(normals, 2048))).toEqual({})
})

describe('of the mistakes a generator can make', () => {
  test.each<[string, Mistake]>([
    ['moments 1 to 6', 'a mean of 0.01'],
    ['moments 1 to 6', 'a variance of 1.05'],
    ['moments 1 to 6', 'a skewness of 0.012'],
    ['moments 1 to 6', 'a kurtosis of 2.952'],
    ['tails beyond 1 to 5', 'no tails beyond 4'],
    ['tails beyond 1 to 5', 'twice the tail beyond 4'],
    ['1024 bins, of all and of each place of a step', 'a grid of 1/512'],
    ['1024 bins, of all and of each place of a step', 'one bad place of eight'],
    ['lags 1 to 16 and up to a tile', 'correlation 0.01 at lag 1'],
    ['lags 1 to 16 and up to a tile', 'correlation 0.01 at lag 4'],
    ['lags 1 to 16 and up to a tile', 'correlation 0.01 at lag 64'],
    ['lags 1 to 16 and up to a tile', 'clusters of large values'],
    ['lags 1 to 16 and up to a tile', 'one radius for two pairs'],
    ['lags 1 to 16 and up to a tile', 'the same in every tile'],
    ['pairs of cosine and sine, and of neighbours', 'one word for radius and angle'],
    ['pairs of cosine and sine, and of neighbours', 'one radius for two pairs'],
    ['patterns of signs and sizes', 'a parity of signs'],
    ['patterns of signs and sizes', 'one radius for two pairs'],
  ])('%s would show %s', (name, mistake) => {
    const wrong = longRow(broken[mistake], at, statistics[name]?.[2] as number)
    expect(suspicious(measure(name, wrong))).not.toEqual({})
  })

  test.each<Mistake>(['a mean of 0.01', 'a variance of 1.05'])('the distance would show %s', (mistake) => {
    expect(suspicious(distance(longRow(broken[mistake], at, 128)))).not.toEqual({})
  })

  test.each<Mistake>(['halves that cancel', 'a variance of 1.05'])('the spread over seeds would show %s', (mistake) => {
    expect(suspicious(spreadOverSeeds(broken[mistake], 512))).not.toEqual({})
  })
})

/** Pairs of addresses that a careless generator might confuse. */
const neighbouringAddresses: [string, RandomRow, RandomRow][] = [
  ['a row and the next', at, { ...at, row: 1 }],
  ['a row and one far away', at, { ...at, row: 4_000_000_000 }],
  ['an iteration and the next', at, { ...at, iteration: 2 }],
  ['an iteration and one far away', at, { ...at, iteration: 1 + 2 ** 31 }],
  ['seeds 0 and 1', { ...at, seed: 0 }, { ...at, seed: 1 }],
  ['seeds 1 and 2', { ...at, seed: 1 }, { ...at, seed: 2 }],
  ['seeds 0 and 2', { ...at, seed: 0 }, { ...at, seed: 2 }],
  ['seeds that differ by 2^31', at, { ...at, seed: 1 + 2 ** 31 }],
  ['seeds that differ by 2^32', at, { ...at, seed: 1 + 2 ** 32 }],
  ['seeds that differ by 2^52', at, { ...at, seed: 1 + 2 ** 52 }],
  ['iteration and row swapped', { seed: 1, iteration: 3, row: 5 }, { seed: 1, iteration: 5, row: 3 }],
  ['seed and row swapped', { seed: 3, iteration: 1, row: 5 }, { seed: 5, iteration: 1, row: 3 }],
  ['seed and iteration swapped', { seed: 3, iteration: 5, row: 0 }, { seed: 5, iteration: 3, row: 0 }],
  ['the last row of an iteration and the first of the next', { ...at, row: 9 }, { ...at, iteration: 2 }],
  ['a seed and the next with a row less', { ...at, seed: 1, row: 1 }, { ...at, seed: 2, row: 0 }],
]

describe('normals are independent at', () => {
  const compare = (generator: Normals, a: RandomRow, b: RandomRow): Scores =>
    pairing(longRow(generator, a, 128), longRow(generator, b, 128))

  test.each(neighbouringAddresses)('%s', (_, a, b) => {
    expect(suspicious(compare(normals, a, b))).toEqual({})
  })

  test.each<[Mistake, string]>([
    ['the same in every row', 'a row and the next'],
    ['the same in every iteration', 'an iteration and the next'],
    ['half of the seed', 'seeds that differ by 2^32'],
    ['row plus iteration', 'iteration and row swapped'],
    ['seed plus row', 'a seed and the next with a row less'],
    ['a twentieth of the next seed', 'seeds 1 and 2'],
  ])('and %s would be noticed (%s)', (mistake, name) => {
    const [, a, b] = neighbouringAddresses.find(([each]) => each === name) as [string, RandomRow, RandomRow]
    expect(suspicious(compare(broken[mistake], a, b))).not.toEqual({})
  })

  const grid = (generator: Normals): Scores => {
    const addresses = [0, 1, 2, 2 ** 32].flatMap((seed) =>
      [1, 2, 3, 4].flatMap((iteration) => [0, 1, 2, 3].map((row) => ({ seed, iteration, row }))),
    )
    return allPairs(addresses.map((address) => longRow(generator, address, 8)))
  }

  test('all pairs of 4 seeds x 4 iterations x 4 rows', () => {
    expect(suspicious(grid(normals))).toEqual({})
  })

  test.each<Mistake>(['row plus iteration', 'a twentieth of the next seed'])(
    'all pairs, and %s would be noticed',
    (mistake) => {
      expect(suspicious(grid(broken[mistake]))).not.toEqual({})
    },
  )
})

describe('nothing is repeated', () => {
  const seeds = [0, 1, 2, 3, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 33, Number.MAX_SAFE_INTEGER]
  const addresses = seeds.flatMap((seed) =>
    [0, 1, 2, 3, 2 ** 32 - 1].flatMap((iteration) =>
      [0, 1, 2, 3, 2 ** 32 - 1].map((row): RandomRow => ({ seed, iteration, row })),
    ),
  )
  const blocks = (address: (each: RandomRow) => RandomRow) =>
    addresses.flatMap((each) =>
      (Object.keys(purposes) as Purpose[]).flatMap((purpose) =>
        [0, 1, 2, 3, 4, 5, 6, 7].flatMap((lane) =>
          [0, 1, 2, 3].map((index) => {
            const block = new Uint32Array(4)
            randomBlock(block, address(each), purpose, lane, index)
            return block
          }),
        ),
      ),
    )
  const tiles = (generator: Normals) =>
    addresses.flatMap((each) =>
      [0, 1].map((tile) => {
        const into = new Float32Array(tileSize)
        generator(each, tile, tileSize, into)
        return into
      }),
    )

  test('among 43,200 blocks of all seeds, iterations, rows, purposes, lanes and places', () => {
    expect(equalBlocks(blocks((each) => each))).toBe(0)
    expect(equalBlocks(blocks((each) => ({ ...each, seed: each.seed % 2 ** 32 })))).toBeGreaterThan(0)
  })

  test('among 1,832,400 stretches of four successive normals of a lane', () => {
    expect(equalStretches(tiles(normals))).toBe(0)
  })

  test.each<Mistake>(['the same in every tile', 'half of the seed', 'streams that overlap'])(
    'and %s would be noticed',
    (mistake) => {
      expect(equalStretches(tiles(broken[mistake]).filter((_, i) => i % 50 < 8))).toBeGreaterThan(0)
    },
  )
})

describe('directions of the sphere are uniform', () => {
  const spherePoints = (dim: number, iterations: number): SpherePoints => {
    const begin = beginning(dim)
    const rows = sphere().start(begin, 10)
    const points = new Float64Array(iterations * 10 * dim)
    const origin = begin.kernels.allocate(dim, 'float64')
    for (let i = 0; i < iterations * 10; i++) {
      rows.write(origin, 1, { seed: 3, iteration: 1 + Math.floor(i / 10) }, i % 10, points, i * dim)
    }
    return { dim, points }
  }
  /** The classic mistake: the normalised vectors of a cube crowd towards its corners. */
  const cubePoints = (dim: number, iterations: number): SpherePoints => {
    const points = Float64Array.from({ length: iterations * 10 * dim }, (_, i) => 2 * randomUniform(at, 'noise', i) - 1)
    for (let i = 0; i < points.length; i += dim) {
      const norm = Math.hypot(...points.subarray(i, i + dim))
      for (let k = i; k < i + dim; k++) points[k] = (points[k] as number) / norm
    }
    return { dim, points }
  }
  const leaning = ({ dim, points }: SpherePoints): SpherePoints => ({
    dim,
    points: points.map((u, i) => (i % 90 === 0 ? Math.abs(u) : u)),
  })

  test('in 3 dimensions', () => {
    const points = spherePoints(3, 10_000)
    expect(suspicious({ ...areas(points), ...coordinates(points, [0, 1, 2]), ...sphereMoments(points) })).toEqual({})
  })

  test.each([2, 10, 50])('in %i dimensions', (dim) => {
    const points = spherePoints(dim, 5000)
    expect(suspicious({ ...coordinates(points, [0, 1, dim - 1]), ...sphereMoments(points) })).toEqual({})
  })

  test('which normalised vectors of a cube are not', () => {
    const points = cubePoints(3, 10_000)
    for (const scores of [areas(points), coordinates(points, [1]), sphereMoments(points)]) {
      expect(suspicious(scores)).not.toEqual({})
    }
    const many = cubePoints(10, 10_000)
    for (const scores of [coordinates(many, [1]), sphereMoments(many)]) expect(suspicious(scores)).not.toEqual({})
  })

  test('nor vectors of which one in thirty leans to one side', () => {
    const points = leaning(spherePoints(3, 10_000))
    expect(suspicious(areas(points))).toHaveProperty('octants')
    expect(suspicious(sphereMoments(points))).toHaveProperty('mean of u')
  })
})

/** Words and uniform numbers while one part of their address counts up. */
const countingUp: Record<string, (i: number) => [RandomRow, number]> = {
  index: (i) => [at, i],
  row: (i) => [{ ...at, row: i }, 0],
  iteration: (i) => [{ ...at, iteration: i }, 0],
  seed: (i) => [{ ...at, seed: i }, 0],
  'upper half of the seed': (i) => [{ ...at, seed: i * 2 ** 32 }, 0],
}

describe.each(Object.entries(countingUp))('counting up the %s', (_, address) => {
  const uniform = (i: number): number => randomUniform(address(i)[0], 'noise', address(i)[1])

  test('gives uniform numbers', () => {
    expect(suspicious(uniformity(uniform, 2 ** 17))).toEqual({})
  })

  test('gives uniform integers', () => {
    const scores = [2, 3, 7, 10, 1000, 65536].map((below) =>
      integerUniformity((i) => randomInteger(address(i)[0], 'samples', address(i)[1], below), below, 2 ** 17),
    )
    expect(suspicious(Object.assign({}, ...scores))).toEqual({})
  })

  test('gives words without a pattern in their spacings', () => {
    expect(suspicious(birthdaySpacings((i) => randomWord(address(i)[0], 'data', address(i)[1]), 32))).toEqual({})
  })
})

describe('poor words would be noticed:', () => {
  const uniform = (i: number): number => randomUniform(at, 'noise', i)
  test.each<[string, (i: number) => number]>([
    ['a range that ends at 0.99', (i) => uniform(i) * 0.99],
    ['a number that stays with its neighbour', (i) => (i % 16 === 0 ? uniform(i + 1) : uniform(i))],
    ['32 bits instead of 53', (i) => Math.floor(uniform(i) * 2 ** 32) / 2 ** 32],
    ['numbers in order', (i) => i / 2 ** 17],
  ])('%s', (_, poor) => {
    expect(suspicious(uniformity(poor, 2 ** 17))).not.toEqual({})
  })

  test('integers of 12 bits, cut down to 1000', () => {
    const poor = (i: number) => Math.floor(uniform(i) * 4096) % 1000
    expect(suspicious(integerUniformity(poor, 1000, 2 ** 17))).not.toEqual({})
  })

  test('a linear congruential generator', () => {
    let state = 1
    const poor = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0)
    expect(suspicious(birthdaySpacings(poor, 32))).not.toEqual({})
  })
})

describe('any bit of an address', () => {
  /** Philox at small, orderly counters and keys, with one of their 192 bits turned over. */
  const flipped =
    (scramble: (block: Uint32Array, low: number, high: number) => void) => (trial: number, bit: number) => {
      const words = Uint32Array.of(trial & 3, (trial >> 2) & 3, (trial >> 4) & 3, trial >> 6, trial % 5, 0)
      const [block, other] = [words.slice(0, 4), words.slice()]
      other[bit >>> 5] = (other[bit >>> 5] as number) ^ (1 << (bit & 31))
      const changed = other.slice(0, 4)
      scramble(block, words[4] as number, words[5] as number)
      scramble(changed, other[4] as number, other[5] as number)
      return changed.map((word, i) => word ^ (block[i] as number))
    }

  test('turns over half of the bits of the random block', () => {
    expect(suspicious(avalanche(flipped(philox), 192, 512))).toEqual({})
  })

  test('which a multiplication alone would not do', () => {
    const weak = (block: Uint32Array, low: number, high: number) => {
      block.forEach((word, i) => {
        block[i] = Math.imul(word + low, 0x9e3779b1) ^ Math.imul(high + i, 0x85ebca77)
      })
    }
    expect(suspicious(avalanche(flipped(weak), 192, 64))).not.toEqual({})
  })
})
