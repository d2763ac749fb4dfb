import { summarize } from '../../optimizer/core/statistics.ts'
import { type AttackReport, type AttackSummary, isMeasured } from '../../robustness/records.ts'
import { counted, countText, type MaybeNumber, readableNumber } from './number-text.ts'

/** Final values of one solver on one problem, one for each seed; lower is better. */
export interface Sample {
  readonly name: string
  readonly values: readonly number[]
}

/** Which of several samples is better, and how sure that is. */
export interface Verdict {
  readonly text: string
  /** For each sample, in the order given: p of its difference from the best one, after Holm; undefined for the best. */
  readonly p: readonly (number | undefined)[]
}

/** Below it a difference counts. */
const level = 0.05
/** Comparisons of this many pairs or fewer are exact. */
const mostExact = 2500

/** A sentence on which of several samples is better; undefined if there are not two, or none is repeated. */
export function verdictOf(samples: readonly Sample[]): Verdict | undefined {
  if (samples.length < 2 || samples.every(({ values }) => values.length < 2)) return undefined
  const medians = samples.map(({ values }) => medianOf(values))
  const best = medians.reduce((lowest, value, i) => (value < (medians[lowest] as number) ? i : lowest), 0)
  const first = samples[best] as Sample
  const others = samples.map((sample, i) => ({ sample, i })).filter(({ i }) => i !== best)
  const adjusted = holm(others.map(({ sample }) => rankSumTest(first.values, sample.values)))
  const p = samples.map((_, i) => adjusted[others.findIndex((other) => other.i === i)])
  const ranked = others.map(({ sample }, i): Compared => ({ sample, p: adjusted[i] as number }))
  return { text: sentence(first, ranked), p }
}

interface Compared {
  readonly sample: Sample
  readonly p: number
}

function sentence(first: Sample, others: readonly Compared[]): string {
  const worse = others.filter(({ p }) => p < level)
  const few = others.filter(({ sample }) => smallestP(first, sample) * others.length >= level)
  const unclear = others.filter((each) => !worse.includes(each) && !few.includes(each))
  const named = ({ sample, p }: Compared): string => `${sample.name} (${against(first, sample)}, ${pText(p)})`
  const lowest = `${first.name} has the lowest median, ${readableNumber(medianOf(first.values))}`
  const parts = [
    worse.length > 0 ? `${first.name} is better than ${listed(worse.map(named))}` : lowest,
    ...(unclear.length > 0 ? [`no difference can be told from ${listed(unclear.map(named))}`] : []),
    ...(few.length > 0 ? [`too few runs to tell it from ${listed(few.map(({ sample }) => sample.name))}`] : []),
  ]
  return `${parts.join('; ')}. Rank test (Mann-Whitney, two-sided)${others.length > 1 ? ', p after Holm' : ''}.`
}

function against(first: Sample, other: Sample): string {
  const runs = [first, other].map(({ values }) => countText(values.length))
  const medians = [first, other].map(({ values }) => readableNumber(medianOf(values)))
  return `median ${medians.join(' against ')}, ${runs.join(' and ')} runs`
}

/** The least p that samples of these sizes can have: all values of one below all of the other. */
function smallestP({ values: a }: Sample, { values: b }: Sample): number {
  return rankSumTest(
    a.map((_, i) => i),
    b.map((_, i) => a.length + i),
  )
}

/** How one attack fared against another on the same images. */
interface ImageScore {
  /** Images on which the first was better, and on which the second was. */
  readonly wins: number
  readonly losses: number
  readonly level: number
}

/** What an attack needed on the images both were tried on: lower is better, Infinity if it failed. */
function imageScore(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): ImageScore {
  const pairs = [...a].flatMap(([image, cost]) => {
    const other = b.get(image)
    return other === undefined ? [] : [{ cost, other }]
  })
  const wins = pairs.filter(({ cost, other }) => cost < other).length
  const losses = pairs.filter(({ cost, other }) => cost > other).length
  return { wins, losses, level: pairs.length - wins - losses }
}

/** A sentence on which of two attacks is better by what `doing` says, as in `fools sooner`. */
function scoreText(names: readonly [string, string], doing: string, { wins, losses, level }: ImageScore): string {
  const [better, worse, more, fewer] = wins >= losses ? [...names, wins, losses] : [names[1], names[0], losses, wins]
  const p = signTest(wins, losses)
  const images = `${counted(more, 'image')}, ${worse} on ${countText(fewer)}${level > 0 ? `, ${countText(level)} are level` : ''}`
  const sure = p < 0.05 ? `${better} is better` : 'no difference can be told'
  return `${better} ${doing} on ${images}: ${sure} (${pText(p)}, sign test).`
}

/** How strong an attack is: its success rate, and the median of the queries to the first success. */
interface Strength {
  readonly successRate?: MaybeNumber
  readonly medianQueries?: MaybeNumber
}

/** By success, and if that is the same, by how soon. */
export function strongestFirst(a: Strength, b: Strength): number {
  const bySuccess = (b.successRate ?? 0) - (a.successRate ?? 0)
  return bySuccess || (a.medianQueries ?? Infinity) - (b.medianQueries ?? Infinity) || 0
}

/** How strong an attack was on all its images. */
export function strengthOf({ attackSuccessRate, firstSuccessQueries }: AttackSummary): Strength {
  return { successRate: attackSuccessRate, medianQueries: firstSuccessQueries.median }
}

/** What an attack needed on each image it was tried on, by the number of the image. */
export interface ImageCosts {
  readonly name: string
  /** Queries until the image fooled the model; Infinity if it did not. */
  readonly queries: ReadonlyMap<number, number>
  /** How far the nearest success was, of the images that were fooled. */
  readonly distances: ReadonlyMap<number, number>
}

/** What an attack needed on each image, for a comparison image by image. */
export function imageCosts({ name, report }: { readonly name: string; readonly report: AttackReport }): ImageCosts {
  const images = report.images.filter(isMeasured)
  return {
    name,
    queries: new Map(images.map(({ index, first }) => [index, first?.queries ?? Infinity])),
    distances: new Map(images.flatMap(({ index, best }) => (best === null ? [] : [[index, best.l2]]))),
  }
}

/** The first of several attacks on the same images against each of the others, in sentences. */
export function imageVerdicts([first, ...others]: readonly ImageCosts[]): string[] {
  if (first === undefined) return []
  return others.flatMap((other) => {
    const names = [first.name, other.name] as const
    const sooner = scoreText(names, 'fools sooner', imageScore(first.queries, other.queries))
    const both = imageScore(first.distances, other.distances)
    const images = both.wins + both.losses + both.level
    const nearer = scoreText(names, 'ends nearer', both)
    return images === 0 ? [sooner] : [`${sooner} Where both fool, ${nearer}`]
  })
}

/** The probability that ranks of two samples differ as much as these or more if nothing sets the samples apart; two-sided. */
export function rankSumTest(a: readonly number[], b: readonly number[]): number {
  if (a.length === 0 || b.length === 0) return 1
  const ranks = doubledRanks([...a, ...b])
  const sum = ranks.slice(0, a.length).reduce((total, rank) => total + rank, 0)
  const total = a.length + b.length
  const middle = a.length * (total + 1)
  const distance = Math.abs(sum - middle)
  if (a.length * b.length > mostExact) return normalTail((distance - 1) / deviation(ranks, a.length))
  const counts = subsetSums(ranks, a.length)
  let [far, all] = [0, 0]
  counts.forEach((count, s) => {
    all += count
    if (Math.abs(s - middle) >= distance) far += count
  })
  return Math.min(1, far / all)
}

/** The standard deviation of the sum of `size` of these doubled ranks, ties included. */
function deviation(ranks: readonly number[], size: number): number {
  const count = ranks.length
  const mean = count + 1
  const squares = ranks.reduce((sum, rank) => sum + (rank - mean) * (rank - mean), 0)
  return Math.sqrt((size * (count - size) * squares) / (count * (count - 1)))
}

/** Twice the rank of each value, from 2 on; equal values share the mean of their ranks, so that all are whole numbers. */
function doubledRanks(values: readonly number[]): number[] {
  const sorted = ascending(values)
  return values.map(orderable).map((value) => sorted.indexOf(value) + sorted.lastIndexOf(value) + 2)
}

function ascending(values: readonly number[]): number[] {
  return values.map(orderable).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

/** A run that never had a value is the worst of all. */
function orderable(value: number): number {
  return Number.isNaN(value) ? Infinity : value
}

/** In how many ways `size` of these numbers make each sum. */
function subsetSums(numbers: readonly number[], size: number): Float64Array {
  const most = numbers.reduce((sum, each) => sum + each, 0)
  const ways = Array.from({ length: size + 1 }, () => new Float64Array(most + 1))
  ;(ways[0] as Float64Array)[0] = 1
  for (const number of numbers) {
    for (let taken = size; taken > 0; taken--) {
      const [from, to] = [ways[taken - 1] as Float64Array, ways[taken] as Float64Array]
      for (let sum = most; sum >= number; sum--) to[sum] = (to[sum] as number) + (from[sum - number] as number)
    }
  }
  return ways[size] as Float64Array
}

/** The probability of at least so uneven a score if either side is as likely to win; two-sided and exact. */
export function signTest(wins: number, losses: number): number {
  const count = wins + losses
  const fewer = Math.min(wins, losses)
  let [term, tail] = [1, 0]
  for (let i = 0; i < count; i++) term /= 2
  if (term === 0) return normalTail((Math.abs(wins - losses) - 1) / Math.sqrt(count))
  for (let k = 0; k <= fewer; k++) {
    tail += term
    term *= (count - k) / (k + 1)
  }
  return Math.min(1, 2 * tail)
}

/** An interval that holds the median of what was sampled in at least 95 of 100 cases; undefined below six values. */
export function medianInterval(values: readonly number[]): readonly [number, number] | undefined {
  const sorted = ascending(values)
  let cut = -1
  while (signTest(cut + 1, sorted.length - cut - 1) <= level && 2 * (cut + 1) < sorted.length) cut++
  return cut < 0 ? undefined : [sorted[cut] as number, sorted[sorted.length - 1 - cut] as number]
}

/** Several p-values at once, so that one chance find among many does not count (Holm). */
export function holm(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((i, j) => (values[i] as number) - (values[j] as number))
  const adjusted: number[] = []
  let largest = 0
  order.forEach((i, place) => {
    largest = Math.max(largest, Math.min(1, (values.length - place) * (values[i] as number)))
    adjusted[i] = largest
  })
  return adjusted
}

/** Both tails of the standard normal beyond a distance, to seven digits (Numerical Recipes, erfcc). */
function normalTail(distance: number): number {
  const z = Math.max(0, distance) / Math.SQRT2
  const t = 1 / (1 + z / 2)
  const series = [1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223]
  const sum = [...series, 0.17087277].reduceRight((rest, coefficient) => coefficient + t * rest, 0)
  return t * Math.exp(-z * z - 1.26551223 + t * sum)
}

/** `p = 0.03`, never 0. */
export function pText(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${Number(p.toPrecision(2))}`
}

function medianOf(values: readonly number[]): number {
  return summarize(values.map(orderable)).median
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
