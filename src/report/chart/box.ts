import { summarize } from '../../core/statistics.ts'

/** How some values are spread, as a box with whiskers shows it. */
export interface Box {
  readonly count: number
  readonly median: number
  readonly lowerQuartile: number
  readonly upperQuartile: number
  /** The furthest values that lie no more than 1.5 times the length of the box from it. */
  readonly whiskers: readonly [number, number]
  /** What lies beyond the whiskers, ascending. */
  readonly outliers: readonly number[]
  /** All values, ascending. */
  readonly values: readonly number[]
}

/** The box of the values that are finite; none where there are none. */
export function boxOf(all: readonly number[]): Box | undefined {
  const values = all.filter(Number.isFinite).sort((a, b) => a - b)
  if (values.length === 0) return undefined
  const { median, lowerQuartile, upperQuartile } = summarize(values)
  const reach = 1.5 * (upperQuartile - lowerQuartile)
  const isNear = (value: number): boolean => value >= lowerQuartile - reach && value <= upperQuartile + reach
  const near = values.filter(isNear)
  const whiskers = [Math.min(lowerQuartile, ...near.slice(0, 1)), Math.max(upperQuartile, ...near.slice(-1))] as const
  const outliers = values.filter((value) => !isNear(value))
  return { count: values.length, median, lowerQuartile, upperQuartile, whiskers, outliers, values }
}

/** At most so many of sorted values, evenly chosen, the first and the last among them. */
export function evenly(sorted: readonly number[], most: number): number[] {
  if (sorted.length <= most) return [...sorted]
  return Array.from({ length: most }, (_, i) => sorted[Math.round((i * (sorted.length - 1)) / (most - 1))] as number)
}
