import { chiSquareScore, chiSquareValueScore, countScore, distanceScore, largestScore, type Scores } from './scores.ts'

/** A uniform number in [0, 1) for each index. */
export type Uniform = (index: number) => number

/** Uniform numbers: bins, distance, pairs of neighbours, and each of the 53 bits. */
export function uniformity(uniform: Uniform, n: number): Scores {
  const sample = Float64Array.from({ length: n }, (_, i) => uniform(i))
  const bins = new Float64Array(1024)
  const squares = new Float64Array(1024)
  const bits = new Float64Array(53)
  for (let i = 0; i < n; i++) {
    const u = sample[i] as number
    add(bins, Math.floor(u * 1024))
    add(squares, 32 * Math.floor(u * 32) + Math.floor((sample[(i + 1) % n] as number) * 32))
    const [high, low] = [Math.floor(u * 2 ** 27), (u * 2 ** 53) % 2 ** 26]
    for (let bit = 0; bit < 27; bit++) if ((high >>> bit) & 1) add(bits, 26 + bit)
    for (let bit = 0; bit < 26; bit++) if ((low >>> bit) & 1) add(bits, bit)
  }
  const bitScores = Array.from(bits, (ones) => (2 * ones - n) / Math.sqrt(n))
  return {
    '1024 bins': chiSquareScore(bins),
    'distance to the uniform distribution': distanceScore(sample, (x) => x),
    // Each number is in two of the overlapping pairs, but for a circle of pairs the statistic less that of the single
    // numbers is chi-square (Good 1953).
    'neighbours in 32 x 32 bins': chiSquareValueScore(pearson(squares) - pearson(rows(squares, 32)), 1023 - 31),
    'shares of ones in 53 bits': chiSquareValueScore(
      bitScores.reduce((sum, score) => sum + score * score, 0),
      53,
    ),
    'worst bit': largestScore(bitScores),
  }
}

/** Whole numbers below `below`, which must all be equally frequent. */
export function integerUniformity(integer: (index: number) => number, below: number, n: number): Scores {
  const counts = new Float64Array(below)
  for (let i = 0; i < n; i++) add(counts, integer(i))
  return { [`integers below ${below}`]: chiSquareScore(counts) }
}

/**
 * Marsaglia's birthday spacings: of the distances between 4,096 sorted words, 4096^3 / (4 2^32) = 4 are expected to
 * be equal to another; the Poisson counts of many years are added up.
 */
export function birthdaySpacings(word: (index: number) => number, years: number): Scores {
  const birthdays = 4096
  let equal = 0
  for (let year = 0; year < years; year++) {
    const days = Float64Array.from({ length: birthdays }, (_, i) => word(year * birthdays + i)).sort()
    const spacings = days.map((day, i) => (i === 0 ? day : day - (days[i - 1] as number))).sort()
    for (let i = 1; i < birthdays; i++) if (spacings[i] === spacings[i - 1]) equal++
  }
  return { 'birthday spacings': countScore(equal, years * birthdays, 4 / birthdays) }
}

/**
 * Turning over any one bit of the input must turn over every bit of the output half of the time. `flipped(trial, bit)`
 * is the exclusive or of the two outputs.
 */
export function avalanche(flipped: (trial: number, bit: number) => Uint32Array, inputs: number, n: number): Scores {
  const outputs = 128
  const turned = new Float64Array(inputs * outputs)
  for (let bit = 0; bit < inputs; bit++) {
    for (let trial = 0; trial < n; trial++) {
      const words = flipped(trial, bit)
      for (let k = 0; k < outputs; k++) {
        if (((words[k >>> 5] as number) >>> (k & 31)) & 1) add(turned, bit * outputs + k)
      }
    }
  }
  const scores = Array.from(turned, (count) => (2 * count - n) / Math.sqrt(n))
  return {
    'bits turned over': chiSquareValueScore(
      scores.reduce((sum, score) => sum + score * score, 0),
      scores.length,
    ),
  }
}

function add(counts: Float64Array, cell: number): void {
  counts[cell] = (counts[cell] as number) + 1
}

function pearson(counts: Float64Array): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}

function rows(square: Float64Array, side: number): Float64Array {
  return Float64Array.from({ length: side }, (_, i) =>
    square.subarray(i * side, (i + 1) * side).reduce((sum, count) => sum + count, 0),
  )
}
