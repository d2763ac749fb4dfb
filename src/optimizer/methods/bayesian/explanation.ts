import { scaleOf } from '../../core/variable.ts'
import type { NamedVariables } from '../../core/variable-types.ts'
import { exponential, logarithm } from '../../kernels/functions.ts'
import { scalarKernels } from '../../kernels/scalar.ts'
import { domainOf } from './domain.ts'
import { GaussianProcess } from './gaussian-process.ts'

/** What is believed of a setting, with the ends of a 95 % interval. */
export interface Forecast {
  readonly mean: number
  readonly low: number
  readonly high: number
}

/** What a Gaussian process that was fitted to tried settings says of their variables. */
export interface Explanation {
  /** Whether it was fitted to the logarithms of values, as where all are positive: shares are of their variance. */
  readonly ofLogarithms: boolean
  /** The share of the variance that each variable has a part in: Sobol's total index. */
  readonly importance: readonly number[]
  /** Pairs of variables and the share that they bring about together only, most first: Liu and Owen's index. */
  readonly pairs: readonly { readonly pair: readonly [number, number]; readonly share: number }[]
  /** How far the settings that were fitted explain each other, from 0 to 1: each foretold by the others. */
  readonly foresight: number
  /** Where a setting lies in the unit cube, what does not matter there at 0.5. */
  place(numbers: ArrayLike<number>): Float64Array
  /** What is believed of places in the cube. */
  forecast(places: readonly Float64Array[]): Forecast[]
}

/** Settings that the process is fitted to at most: the best, and others evenly by their rank. */
const mostFitted = 150
/** Random settings that shares are estimated from, and the variables whose pairs are looked at. */
const samples = 128
const mostPaired = 6

/** Fits a process to settings in own units and to values of which small ones are good; undefined where there is nothing to tell. */
export function explain(
  variables: NamedVariables,
  settings: readonly ArrayLike<number>[],
  values: ArrayLike<number>,
): Explanation | undefined {
  const dim = variables.names.length
  const scales = Object.values(variables.declared).map(scaleOf)
  const domain = domainOf({ dim, set: variables.set, kernels: scalarKernels, precision: 'float64' })
  const place = (numbers: ArrayLike<number>): Float64Array =>
    domain.unit(scales.map(({ at }, i) => at(numbers[i] as number)))
  const ranked = Array.from(settings.keys()).sort((a, b) => (values[a] as number) - (values[b] as number))
  const fitted = ranked.filter((_, i) => i < mostFitted / 2 || i % Math.ceil((2 * ranked.length) / mostFitted) === 0)
  const known = fitted.map((i) => values[i] as number)
  const isPositive = (known[0] as number) > 0
  const [inner, outer] = isPositive ? [logarithm, exponential] : [Number, Number]
  const warped = Float64Array.from(known, inner)
  if (known.length < dim + 4 || warped[0] === warped.at(-1)) return undefined
  const process = new GaussianProcess(domain)
  const places = fitted.map((i) => place(settings[i] as ArrayLike<number>))
  process.fit(places, warped, 25, true)
  process.condition(places, warped)
  const means = (at: readonly Float64Array[]): number[] => process.predict(at).beliefs.map(({ mean }) => mean)
  return {
    ofLogarithms: isPositive,
    ...shares(dim, domain.snapped, means),
    foresight: Math.max(0, process.foresight(warped)),
    place,
    forecast: (at) =>
      process.predict(at).beliefs.map(({ mean, deviation }) => ({
        mean: outer(mean),
        low: outer(mean - 1.96 * deviation),
        high: outer(mean + 1.96 * deviation),
      })),
  }
}

/** The shares of variables and of pairs in the variance of a function on the cube. */
function shares(
  dim: number,
  snapped: (u: Float64Array) => Float64Array,
  means: (at: readonly Float64Array[]) => number[],
): Pick<Explanation, 'importance' | 'pairs'> {
  // A Kronecker sequence of the generalised golden ratio fills the cube evenly.
  let ratio = 2
  for (let i = 0; i < 60; i++) ratio = exponential(logarithm(1 + ratio) / (2 * dim + 1))
  const steps = Array.from({ length: 2 * dim }, (_, i) => exponential(-(i + 1) * logarithm(ratio)))
  const raw = Array.from({ length: samples }, (_, k) => steps.map((step) => (0.5 + (k + 1) * step) % 1))
  const withOthers = (...others: readonly number[]): number[] => {
    const of = (row: number[]) => row.slice(0, dim).map((each, i) => (others.includes(i) ? row[dim + i] : each))
    return means(raw.map((row) => snapped(Float64Array.from(of(row) as number[]))))
  }
  const base = withOthers()
  const single = Array.from({ length: dim }, (_, i) => withOthers(i))
  const average = (term: (k: number) => number): number => base.reduce((sum, _, k) => sum + term(k), 0) / samples
  const middle = average((k) => base[k] as number)
  const at = (list: readonly number[] | undefined, k: number): number => (list?.[k] ?? 0) - middle
  const variance = average((k) => at(base, k) * at(base, k)) || 1
  const square = (x: number): number => x * x
  const importance = single.map((own) => average((k) => square(at(own, k) - at(base, k))) / (2 * variance))
  const first = Array.from(importance.keys())
    .sort((a, b) => (importance[b] as number) - (importance[a] as number))
    .slice(0, mostPaired)
  const pairs = first.flatMap((a, i) =>
    first.slice(i + 1).map((b) => {
      const both = withOthers(a, b)
      const joint = (k: number): number => at(base, k) - at(single[a], k) - at(single[b], k) + at(both, k)
      return { pair: [a, b] as const, share: average((k) => square(joint(k))) / (4 * variance) }
    }),
  )
  return { importance, pairs: pairs.sort((a, b) => b.share - a.share) }
}
