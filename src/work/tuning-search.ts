import { decaysWritten } from '../core/migrate-spec.ts'
import { parts, ZerothError } from '../index.ts'
import type { JsonObject } from '../spec/index.ts'
import type { SearchPlan, SeriesPlan } from './series-plan.ts'

/** The grid of the paper's search over beta1 and beta2. */
const paperBetas = [0.1, 0.3, 0.5, 0.7, 0.9]

/** How often the grid of learning rates may grow. */
const extensions = 6

/** Takes the search of a plan to its end: the mean value over its seeds counts, NaN where one of them led nowhere. */
export function searchSettings(
  { search, seeds }: SeriesPlan,
  value: (setting: Setting, seed: number) => Promise<number>,
  onMeasured: (tried: Tried) => void = () => undefined,
): Promise<Found> {
  const { from, to, betas } = search as SearchPlan
  return greedySearch(rateGrid(from, to), betas ? paperBetas : [], extensions, async (setting) => {
    let sum = 0
    for (const seed of seeds) sum += await value(setting, seed)
    const mean = sum / seeds.length
    onMeasured({ ...setting, value: mean })
    return mean
  })
}

/** How many settings a plan tries unless its grid has to grow. */
export function settingsPlanned({ search }: SeriesPlan): number {
  const { from, to, betas } = search as SearchPlan
  return rateGrid(from, to).length + (betas ? paperBetas.length * paperBetas.length : 0)
}

/** The solver of a spec with a setting put in; a learning rate that decays keeps its schedule, and those of attacks do. */
export function solverWith(spec: JsonObject, { learningRate, beta1, beta2 }: Setting): JsonObject {
  const solver = spec.solver as JsonObject
  const schedule = solver.learningRate
  const rate = isSchedule(schedule) ? { ...schedule, value: learningRate } : learningRate
  const moments = beta1 === undefined || beta2 === undefined ? {} : { beta1, beta2 }
  const made = { ...solver, learningRate: rate, ...moments }
  return 'model' in spec ? decaysWritten(made) : made
}

/** An attack spec to tune: one that names no solver means the paper's method, since the default has no learning rate. */
export function tunableAttack<Spec extends JsonObject>(spec: Spec): Spec {
  return { solver: 'zo-adamm', ...spec }
}

/** Refuses a search that has nothing to search. */
export function checkSearch(resolved: JsonObject, { from, to, betas }: SearchPlan): void {
  const { name } = resolved.solver as { readonly name: string }
  const options = parts.solver.find((part) => part.definition.name === name)?.definition.options.shape ?? {}
  const needed = ['learningRate', ...(betas ? ['beta1', 'beta2'] : [])]
  const missing = needed.find((option) => !Object.hasOwn(options, option))
  if (missing !== undefined) {
    const advice =
      missing === 'learningRate'
        ? 'there is nothing to tune. Name a solver that has one, such as zo-adamm'
        : 'tune without betas'
    throw new ZerothError('invalid-option', `the solver ${name} has no ${missing}: ${advice}`)
  }
  if (rateGrid(from, to).length === 0) {
    const grid = 'there is no learning rate of the grid 1e-3, 3e-3, 1e-2, ...'
    throw new ZerothError('invalid-option', `${grid} between ${from} and ${to}`)
  }
}

function isSchedule(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && 'value' in value
}

/** A setting as people say it. */
export function settingTitle({ learningRate, beta1, beta2 }: Setting): string {
  return `learningRate ${learningRate}${beta1 === undefined ? '' : `  beta1 ${beta1}  beta2 ${beta2}`}`
}

/** What a trial is called while it is made. */
export function trialTitle(setting: Setting, seed: number): string {
  return `${settingTitle(setting)} seed ${seed}`
}

/** The folder of a trial below that of its tuning. */
export function trialName({ learningRate, beta1, beta2 }: Setting, seed: number): string {
  const betas = beta1 === undefined ? '' : `betas-${beta1}-${beta2}-`
  return `rate-${learningRate}-${betas}seed-${seed}`.replaceAll('.', 'p').replaceAll('+', '')
}

/** What one trial of a search is made with. */
export interface Setting {
  readonly learningRate: number
  readonly beta1?: number | undefined
  readonly beta2?: number | undefined
}

/** One setting that was tried, and the mean value over seeds it led to; NaN where it led nowhere. */
export interface Tried extends Setting {
  readonly value: number
}

/** What a search found. */
export interface Found {
  readonly tried: readonly Tried[]
  readonly best: Tried
  /** Whether the best rate is the smallest or the largest of all that were tried. */
  readonly atEdge: boolean
}

/** The learning rates between two: 1e-4, 3e-4, 1e-3, 3e-3, ... */
export function rateGrid(from: number, to: number): number[] {
  const rates: number[] = []
  for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++) {
    for (const step of [1, 3]) rates.push(Number(`${step}e${power}`))
  }
  return rates.filter((rate) => rate >= from * 0.999 && rate <= to * 1.001)
}

/**
 * The greedy search of the paper: the learning rate first, then, where betas are given, all pairs of them at that rate. As
 * long as the best rate is at the edge of the grid the grid grows there, up to `extensions` times: a best value at an edge
 * is no best value.
 */
export async function greedySearch(
  rates: readonly number[],
  betas: readonly number[],
  extensions: number,
  measure: (setting: Setting) => Promise<number>,
): Promise<Found> {
  const tried: Tried[] = []
  const attempt = async (setting: Setting): Promise<void> => {
    tried.push({ ...setting, value: await measure(setting) })
  }
  for (const learningRate of rates) await attempt({ learningRate })
  let edge = edgeOf(tried)
  for (let grown = 0; edge !== 0 && grown < extensions; grown++) {
    await attempt({ learningRate: next(tried, edge) })
    edge = edgeOf(tried)
  }
  const { learningRate, value } = bestOf(tried)
  const pairs = Number.isNaN(value) ? [] : betas.flatMap((beta1) => betas.map((beta2) => ({ beta1, beta2 })))
  for (const pair of pairs) await attempt({ learningRate, ...pair })
  return { tried, best: bestOf(tried), atEdge: edge !== 0 }
}

/** The smallest mean value; settings that led nowhere count as worst. */
export function bestOf(tried: readonly Tried[]): Tried {
  return tried.reduce((best, each) => (each.value < best.value || Number.isNaN(best.value) ? each : best))
}

/** -1 or 1 where the best rate is the smallest or the largest that was tried, otherwise 0. */
function edgeOf(tried: readonly Tried[]): -1 | 0 | 1 {
  const rates = tried.map(({ learningRate }) => learningRate)
  const best = bestOf(tried)
  // As far as can be told, all of them were too large for the problem.
  if (Number.isNaN(best.value)) return -1
  if (best.learningRate === Math.max(...rates)) return 1
  return best.learningRate === Math.min(...rates) ? -1 : 0
}

/** The rate beyond the edge: 1, 3, 10, 30, ... in either direction. */
function next(tried: readonly Tried[], edge: -1 | 1): number {
  const rates = tried.map(({ learningRate }) => learningRate)
  const outermost = edge === 1 ? Math.max(...rates) : Math.min(...rates)
  const [digits = '1', power = '0'] = outermost.toExponential().split('e')
  const isRound = Number(digits) < 2
  const exponent = Number(power)
  if (edge === 1) return Number(isRound ? `3e${exponent}` : `1e${exponent + 1}`)
  return Number(isRound ? `3e${exponent - 1}` : `1e${exponent}`)
}
