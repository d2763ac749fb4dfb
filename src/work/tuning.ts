import { join, resolve } from 'node:path'
import { exitCodes } from '../cli/exit-codes.ts'
import { print } from '../cli/output.ts'
import { plainReason } from '../cli/plain-text.ts'
import { searchText, settingText } from '../cli/tune-text.ts'
import type { Watcher, WatchFlags } from '../cli/watch.ts'
import { jsonSafe } from '../core/json-safe.ts'
import { ZerothError } from '../index.ts'
import { shortNumber } from '../report/index.ts'
import type { JsonObject } from '../spec/index.ts'
import type { RunResult } from '../trace/index.ts'
import { runOrTakeUp } from './run.ts'
import type { SearchPlan, SeriesPlan } from './series-plan.ts'
import { type Found, greedySearch, rateGrid, type Setting, type Tried } from './tune-search.ts'

/** The grid of the paper's search over beta1 and beta2. */
const paperBetas = [0.1, 0.3, 0.5, 0.7, 0.9]

/** How often the grid of learning rates may grow. */
const extensions = 6

/** Ctrl-C came before a setting was measured. */
export class Interrupted extends Error {}

/** What a setting leads to with a seed: the less the better. */
export type Trial = (setting: Setting, seed: number) => Promise<number>

/** A search, its folder included. */
export type Search = SeriesPlan & { readonly search: SearchPlan }

/** Makes all runs of a search that are not there yet and prints what it came to; returns the exit code. */
export async function runSearch(
  folder: string,
  plan: Search,
  flags: WatchFlags,
  watching: Watcher,
  trial: Trial = runTrial(folder, plan, watching),
): Promise<number> {
  const { from, to, betas } = plan.search
  const tried: Tried[] = []
  const measure = async (setting: Setting): Promise<number> => {
    const value = await meanValue(plan, setting, trial)
    tried.push({ ...setting, value })
    watching.say(`${settingText(setting)}  mean value ${shortNumber(value)}`)
    return value
  }
  try {
    const found = await greedySearch(rateGrid(from, to), betas ? paperBetas : [], extensions, measure)
    return printFound(found, folder, plan, flags, watching)
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    if (flags.json === true) print(JSON.stringify(jsonSafe({ status: 'aborted', tried, run: resolve(folder) })))
    watching.say(`interrupted and saved: zeroth resume ${folder} goes on`)
    return exitCodes.interrupted
  }
}

/** The solver of a spec with a setting put in; a learning rate that decays goes on decaying in its way. */
export function solverWith(spec: JsonObject, { learningRate, beta1, beta2 }: Setting): JsonObject {
  const solver = spec.solver as JsonObject
  const schedule = solver.learningRate
  const rate = isSchedule(schedule) ? { ...schedule, value: learningRate } : learningRate
  const moments = beta1 === undefined || beta2 === undefined ? {} : { beta1, beta2 }
  return { ...solver, learningRate: rate, ...moments }
}

/** The mean over seeds of what a setting leads to; NaN where a run of it failed. */
async function meanValue({ seeds }: SeriesPlan, setting: Setting, trial: Trial): Promise<number> {
  let sum = 0
  for (const seed of seeds) sum += await trial(setting, seed)
  return sum / seeds.length
}

/** Tries a setting in a run of its own. */
function runTrial(folder: string, plan: SeriesPlan, watching: Watcher): Trial {
  return async (setting, seed) => {
    const id = trialName(setting, seed)
    const spec = { ...plan.spec, seed, solver: solverWith(plan.spec, setting) }
    const label = trialLabel(setting, seed)
    const result = await runOrTakeUp({ folder: join(folder, id), id }, spec, watching, label)
    if (result.status === 'aborted') throw new Interrupted()
    return result.status === 'failed' ? failedValue(result) : result.value
  }
}

/** What a try is called while it is made. */
export function trialLabel(setting: Setting, seed: number): string {
  return `${settingText(setting)} seed ${seed}`
}

/** A run that failed later may have had too large a learning rate; one that never began has another reason. */
function failedValue({ iterations, error = 'a run failed' }: RunResult): number {
  if (iterations === 0) throw new ZerothError('objective-failed', plainReason(error))
  return Number.NaN
}

function printFound(
  found: Found,
  folder: string,
  { spec }: SeriesPlan,
  { json }: WatchFlags,
  watching: Watcher,
): number {
  const { best, atEdge } = found
  if (Number.isNaN(best.value)) {
    throw new ZerothError('objective-failed', `no learning rate led to a value: the runs in ${folder} say why`)
  }
  if (atEdge) watching.warn('warning: the best learning rate is at the edge of all that were tried')
  const solver = solverWith(spec, best)
  if (json === true) print(JSON.stringify(jsonSafe({ status: 'finished', ...found, solver, run: resolve(folder) })))
  else print(searchText(found, folder))
  return exitCodes.ok
}

/** The folder of a try below that of its search. */
export function trialName({ learningRate, beta1, beta2 }: Setting, seed: number): string {
  const betas = beta1 === undefined ? '' : `betas-${beta1}-${beta2}-`
  return `rate-${learningRate}-${betas}seed-${seed}`.replaceAll('.', 'p').replaceAll('+', '')
}

function isSchedule(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && 'value' in value
}
