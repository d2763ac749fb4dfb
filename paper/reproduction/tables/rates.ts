import { type EmbeddedName, embeddedNames, tunedRate } from '../../../src/robustness/embedded/index.ts'
import type { ProblemName } from '../../methods.ts'
import { searchCell, universalSearchCell } from './cells.ts'
import type { Cell, Results } from './experiment.ts'
import type { Plan } from './plan.ts'
import { adammRates, type PublishedRate, tableA1, tableA2 } from './published.ts'

/** The problem a rate is for. */
export type RateProblem = ProblemName | 'universal'

/** A rate that is tried, and the attack that tries it. */
export interface TriedRate {
  readonly rate: number
  readonly cell: Cell
}

/** The rates that are tried for a method: as many for each where they are tuned, else those the paper tried. */
export function triedRates(plan: Plan, problem: RateProblem, method: string): TriedRate[] {
  return ratesOf(plan, problem, method).map((rate) => ({
    rate,
    cell: problem === 'universal' ? universalSearchCell(plan, method, rate) : searchCell(plan, problem, method, rate),
  }))
}

/** The rate a method is compared at; undefined as long as the search for it has not ended. */
export function chosenRate(plan: Plan, results: Results, problem: RateProblem, method: string): number | undefined {
  if (plan.profile !== 'tuned') return publishedRate(plan, problem, method)
  return bestRate(triedRates(plan, problem, method), results, centre(plan, problem, method))
}

/** Of the rates tried, the one with the least mean objective at the end; undefined as long as one has not ended. */
export function bestRate(rates: readonly TriedRate[], results: Results, usual: number): number | undefined {
  const tried = rates.map(({ rate, cell }) => ({ rate, report: results.report(cell) }))
  if (tried.some(({ report }) => report === undefined)) return undefined
  const value = ({ report }: (typeof tried)[number]): number => report?.summary.finalObjective.mean ?? Number.NaN
  const [first, ...others] = tried.filter((each) => !Number.isNaN(value(each)))
  // Where no rate led anywhere the usual one is as good as any.
  if (first === undefined) return usual
  return others.reduce((best, each) => (value(each) < value(best) ? each : best), first).rate
}

/** The one rate of ZO-AdaMM that the authors' code names: a comment beside the rate, "0.02 for uncons". */
const commentedRate = 0.02

/** The rate that the paper found best, or that the authors' code names where it differs. */
function publishedRate({ profile }: Pick<Plan, 'profile'>, problem: RateProblem, method: string): number {
  const isUniversal = problem === 'universal'
  if (method === 'zo-adamm' && problem === 'unconstrained' && profile === 'reference') return commentedRate
  if (method === 'zo-adamm') return isUniversal ? adammRates.universal : adammRates.perImage
  const rows: readonly PublishedRate[] = (isUniversal ? tableA2 : tableA1)[method] ?? []
  const found = rows.find(({ best }) => best === true)
  if (found === undefined) throw new Error(`the paper has no rate for ${method}`)
  return found.rate
}

function ratesOf(plan: Plan, problem: RateProblem, method: string): number[] {
  if (plan.profile === 'tuned') {
    const factors = plan.factors[problem === 'universal' ? 'universal' : 'perImage']
    return factors.map((factor) => Number((factor * centre(plan, problem, method)).toPrecision(6)))
  }
  if (method === 'zo-adamm') return [publishedRate(plan, problem, method)]
  return ((problem === 'universal' ? tableA2 : tableA1)[method] ?? []).map(({ rate }) => rate).sort((a, b) => a - b)
}

/** About right: what was tuned for an embedded classifier, else what the paper found. */
function centre(plan: Plan, problem: RateProblem, method: string): number {
  const embedded = embeddedNames.find((name): name is EmbeddedName => name === plan.subject.model)
  const form = problem === 'universal' ? 'constrained' : problem
  return (
    (embedded === undefined ? undefined : tunedRate(embedded, form, method)?.value) ??
    publishedRate(plan, problem, method)
  )
}
