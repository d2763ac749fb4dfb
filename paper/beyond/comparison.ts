import type { ImageRecord } from '../../src/robustness/index.ts'
import { paired } from '../claims/paired.ts'
import { attackedImages } from '../reproduction/tables/measures.ts'
import type { Run } from './attacks.ts'

/** An average over seeds, and how far its 95 % interval reaches to either side: NaN for one seed. */
export interface Average {
  readonly mean: number
  readonly reach: number
}

/** A ratio with its 95 % interval over the images. */
export interface Ratio {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** What two methods say about the images that both fooled. */
export interface Comparison {
  /** Images that both fooled with at least one seed that both have. */
  readonly images: number
  /** Seeds that both have. */
  readonly seeds: number
  /** Mean queries to the first success: of the other method, and of this one. */
  readonly otherQueries: number
  readonly queries: number
  /** How many times fewer queries: the geometric mean of the ratios image by image, and the ratio of the means. */
  readonly timesFewer: Ratio
  readonly timesFewerOfMeans: Ratio
  /** The other method's mean squared distortion is multiplied by this: at the first success, at the end, at the best one. */
  readonly firstShare: Ratio
  readonly finalShare: Ratio
  readonly bestShare: Ratio
}

/** Student's interval of a mean over seeds. */
export function average(values: readonly number[]): Average {
  const { difference, high } = paired(
    values.map((value) => [value, 0]),
    '95 %',
  )
  return { mean: difference, reach: high - difference }
}

/** The runs that another method has with the same seed, too: what is compared was made alike. */
export function shared(runs: readonly Run[], others: readonly Run[]): Run[] {
  const seeds = new Set(others.flatMap(({ seed, report }) => (report === undefined ? [] : [seed])))
  return runs.filter(({ seed, report }) => report !== undefined && seeds.has(seed))
}

/** Compares a method with another on the images both fooled, seed by seed; an image counts once, however many seeds. */
export function compare(runs: readonly Run[], others: readonly Run[]): Comparison {
  const of = (value: (image: ImageRecord) => number | undefined) => fooledPairs(others, runs, value)
  const queries = of(({ first }) => first?.queries)
  const { pairs: images, mean: otherQueries, otherMean } = paired(queries)
  return {
    images,
    seeds: shared(runs, others).length,
    otherQueries,
    queries: otherMean,
    timesFewer: geometricRatio(of(({ first }) => (first === null ? undefined : Math.log(first.queries)))),
    timesFewerOfMeans: ratioOfMeans(queries),
    firstShare: ratioOfMeans(swapped(of(({ first }) => first?.l2sq))),
    finalShare: ratioOfMeans(swapped(of(({ first, final }) => (first === null ? undefined : final?.l2sq)))),
    bestShare: ratioOfMeans(swapped(of(({ best }) => best?.l2sq))),
  }
}

/**
 * The ratio of two means of values that belong together; its error is that of its logarithm, to first order (the delta
 * method), so that the interval of what cannot be negative is not either.
 */
export function ratioOfMeans(pairs: readonly (readonly [number, number])[]): Ratio {
  const { mean, otherMean } = paired(pairs)
  const value = mean / otherMean
  const { low, high } = paired(
    pairs.map(([one, other]) => [one / mean, other / otherMean]),
    '95 %',
  )
  return { value, low: value * Math.exp(low), high: value * Math.exp(high) }
}

/** From pairs of logarithms. */
function geometricRatio(pairs: readonly (readonly [number, number])[]): Ratio {
  const { difference, low, high } = paired(pairs, '95 %')
  return { value: Math.exp(difference), low: Math.exp(low), high: Math.exp(high) }
}

/** Values of two methods by image, averaged over the seeds with which both have one. */
function fooledPairs(
  runs: readonly Run[],
  others: readonly Run[],
  value: (image: ImageRecord) => number | undefined,
): [number, number][] {
  const byImage = new Map<number, [number, number][]>()
  for (const { seed, report } of runs) {
    const other = others.find((each) => each.seed === seed)?.report
    if (report === undefined || other === undefined) continue
    const theirs = new Map(attackedImages(other).map((image) => [image.index, value(image)]))
    for (const image of attackedImages(report)) {
      const [one, two] = [value(image), theirs.get(image.index)]
      if (one !== undefined && two !== undefined) {
        byImage.set(image.index, [...(byImage.get(image.index) ?? []), [one, two]])
      }
    }
  }
  return [...byImage.values()].map((pairs) => {
    const { mean, otherMean } = paired(pairs)
    return [mean, otherMean]
  })
}

function swapped(pairs: readonly (readonly [number, number])[]): [number, number][] {
  return pairs.map(([one, other]) => [other, one])
}
