import { type Method, methods } from '../../methods.ts'
import type { PaperTable } from '../page/paper-table.ts'
import { problems } from './cells.ts'
import type { Cell, Experiment, Results } from './experiment.ts'
import type { Plan, Size } from './plan.ts'
import { errata, type PublishedRate, tableA1 as published } from './published.ts'
import { chosenRate, type RateProblem, triedRates } from './rates.ts'
import { rateRemarks, universalImages } from './reference-remarks.ts'

/** The cells of the search for learning rates of per-image attacks. */
export function searchCells(plan: Plan): Cell[] {
  return problems.flatMap((problem) =>
    methods[problem].flatMap(({ name }) => triedRates(plan, problem, name).map(({ cell }) => cell)),
  )
}

/** Table A1: which learning rate each method was given, and what the others led to. */
export const tableA1: Experiment = {
  name: 'table-a1',
  title: 'Table A1: learning rates of per-image attacks',
  cells: searchCells,
  draw: (plan, results) => ({
    tables: problems.map((problem) =>
      searchTable(plan, results, { problem, methods: methods[problem], size: plan.sizes.search, published }),
    ),
    remarks: [errata.tableA1, errata.smd, ...rateRemarks(plan), effortRemark(plan)],
  }),
}

/** One table of a search. */
interface Search {
  readonly problem: RateProblem
  readonly methods: readonly Method[]
  readonly size: Size
  readonly published: Readonly<Record<string, readonly PublishedRate[]>>
}

/** What each rate led to, beside what the paper found for its own. */
export function searchTable(plan: Plan, results: Results, search: Search): PaperTable {
  const { problem, size } = search
  const file = problem === 'universal' ? 'table-a2' : 'table-a1'
  const tuning = plan.tuningImages === undefined ? '' : ', which no other table reports on'
  return {
    file,
    caption: `${titleOf(problem)}: ${imagesText(plan, search)}${tuning}, ${size.iterations.toLocaleString('en')} iterations; the chosen rate is marked. Rows of the paper are next to ours in order of rate, not at equal rates`,
    emphasis: 'chosen',
    columns: [
      { key: 'problem', title: 'problem', isHidden: true },
      { key: 'method', title: 'method' },
      { key: 'rate', title: 'rate', as: 'rate' },
      { key: 'objective', title: 'objective', as: 'number' },
      { key: 'success', title: 'success', as: 'percent' },
      { key: 'chosen', title: 'chosen', as: 'mark' },
      { key: 'paperRate', title: 'paper: rate', as: 'rate', paper: true },
      { key: 'paperObjective', title: 'objective', as: 'number', paper: true, digits: 2 },
      { key: 'paperSuccess', title: 'success', paper: true },
      { key: 'paperBest', title: 'chosen', as: 'mark', paper: true },
    ],
    rows: search.methods.flatMap((method) => methodRows(plan, results, search, method)),
  }
}

function titleOf(problem: RateProblem): string {
  return `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`
}

function imagesText(plan: Plan, { problem, size: { count } }: Search): string {
  return problem === 'universal' ? universalImages(plan, count) : `${count} images`
}

function methodRows(plan: Plan, results: Results, { problem, published: table }: Search, { name, title }: Method) {
  const chosen = chosenRate(plan, results, problem, name)
  const ours = triedRates(plan, problem, name)
  const paper = [...(table[name] ?? [])].sort((a, b) => a.rate - b.rate)
  return Array.from({ length: Math.max(ours.length, paper.length) }, (_, i) => {
    const [own, theirs] = [ours[i], paper[i]]
    const summary = own === undefined ? undefined : results.report(own.cell)?.summary
    return {
      problem,
      method: title,
      rate: own?.rate,
      objective: summary?.finalObjective.mean,
      success: summary?.attackSuccessRate,
      chosen: own !== undefined && own.rate === chosen ? markOf(plan, i, ours.length) : '',
      paperRate: theirs?.rate,
      paperObjective: theirs?.objective,
      paperSuccess: theirs === undefined ? undefined : theirs.success ? 'yes' : 'no',
      paperBest: theirs?.best === true ? 'best' : '',
    }
  })
}

/** A best rate at the edge of its grid may not be the best. */
function markOf({ profile }: Plan, index: number, count: number): string {
  if (profile !== 'tuned') return 'as the paper'
  return index === 0 || index === count - 1 ? 'best, at the edge' : 'best'
}

/** How fair the search is. */
export function effortRemark({ profile }: Plan): string {
  return profile === 'tuned'
    ? 'Every method has the same number of rates, with the same spacing, placed by its own earlier, coarser search; the smallest mean objective wins, whether or not all images were fooled (the paper takes the smallest among rates that succeeded). The rate sets the trade-off between success and distortion: another choice gives other tables.'
    : "These are the paper's rates, found on Inception V3: on another network they may be far off. The tuned profile searches its own."
}
