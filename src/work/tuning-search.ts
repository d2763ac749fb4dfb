import { parts, ZerothError } from '../index.ts'
import type { JsonObject } from '../spec/index.ts'
import { type Found, greedySearch, rateGrid, type Setting, type Tried } from './greedy-search.ts'
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

/** The solver of a spec with a setting put in; a learning rate that decays keeps its schedule. */
export function solverWith(spec: JsonObject, { learningRate, beta1, beta2 }: Setting): JsonObject {
  const solver = spec.solver as JsonObject
  const schedule = solver.learningRate
  const rate = isSchedule(schedule) ? { ...schedule, value: learningRate } : learningRate
  const moments = beta1 === undefined || beta2 === undefined ? {} : { beta1, beta2 }
  return { ...solver, learningRate: rate, ...moments }
}

/** Refuses a search that has nothing to search. */
export function checkSearch(resolved: JsonObject, { from, to, betas }: SearchPlan): void {
  const { name } = resolved.solver as { readonly name: string }
  const options = parts.solver.find((part) => part.definition.name === name)?.definition.options.shape ?? {}
  const needed = ['learningRate', ...(betas ? ['beta1', 'beta2'] : [])]
  const missing = needed.find((option) => !Object.hasOwn(options, option))
  if (missing !== undefined) {
    const advice = missing === 'learningRate' ? 'there is nothing to tune' : 'tune without betas'
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
