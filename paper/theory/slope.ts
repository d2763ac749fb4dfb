import { sampleMean } from './sample-mean.ts'

/** A point of a power law. */
interface LogPoint {
  readonly x: number
  readonly y: number
}

/** A mean with half the width of its 95 % interval. */
export interface Interval {
  readonly mean: number
  readonly half: number
}

/** The slope of log y against log x, by least squares: the exponent of a power law. */
export function logLogSlope(points: readonly LogPoint[]): number {
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }))
  const mean = (of: 'x' | 'y'): number => logs.reduce((sum, each) => sum + each[of], 0) / logs.length
  const [centerX, centerY] = [mean('x'), mean('y')]
  const products = logs.reduce((sum, { x, y }) => sum + (x - centerX) * (y - centerY), 0)
  const squares = logs.reduce((sum, { x }) => sum + (x - centerX) * (x - centerX), 0)
  return products / squares
}

/** Two-sided 95 % quantile of Student's t distribution for so many seeds. */
const quantiles: Readonly<Record<number, number>> = { 3: 4.303, 4: 3.182, 5: 2.776 }

/** The exponent fitted to each of several seeds, with its 95 % interval over them. */
export function exponentOver(seeds: readonly (readonly LogPoint[])[]): Interval {
  const sample = sampleMean()
  for (const points of seeds) sample.add(logLogSlope(points))
  return { mean: sample.mean, half: (quantiles[seeds.length] ?? Number.NaN) * sample.standardError }
}

/** An interval as people read it. */
export function saidInterval({ mean, half }: Interval): string {
  return `${mean.toFixed(3)} +- ${half.toFixed(3)}`
}
