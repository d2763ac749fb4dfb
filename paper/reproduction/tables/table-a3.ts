import type { AttackReport } from '../../../src/robustness/index.ts'
import { type Method, methods, type ProblemName } from '../../methods.ts'
import { perImageCell, problems } from './cells.ts'
import type { Cell, Experiment, Results } from './experiment.ts'
import { attackedImages, commonLimit, firstSuccess, type Limit, objectiveAt } from './measures.ts'
import type { Plan } from './plan.ts'
import { errata, tableA3 as published } from './published.ts'
import { chosenRate } from './rates.ts'
import { rateRemarks, shownAttacks } from './reference-remarks.ts'
import { searchCells } from './table-a1.ts'

/** An attack of Table A3, as far as it is known. */
export interface PerImageAttack {
  readonly problem: ProblemName
  readonly method: Method
  readonly rate: number
  readonly cell: Cell
  readonly report: AttackReport | undefined
}

/** The attacks of Table A3 and Fig. 1 whose rates are known. */
export function perImageAttacks(plan: Plan, results: Results): PerImageAttack[] {
  return problems.flatMap((problem) =>
    methods[problem].flatMap((method): PerImageAttack[] => {
      const rate = chosenRate(plan, results, problem, method.name)
      if (rate === undefined) return []
      const cell = perImageCell(plan, problem, method.name, rate)
      return [{ problem, method, rate, cell, report: results.report(cell) }]
    }),
  )
}

/** The cells of Table A3 and Fig. 1, with those that find their rates. */
export function perImageCells(plan: Plan, results: Results): Cell[] {
  const search = plan.profile === 'tuned' ? searchCells(plan) : []
  return [...search, ...perImageAttacks(plan, results).map(({ cell }) => cell)]
}

/** Table A3: eight attacks on the same images. */
export const tableA3: Experiment = {
  name: 'table-a3',
  title: 'Table A3: per-image attacks',
  cells: perImageCells,
  draw(plan, results) {
    const attacks = shownAttacks(plan, perImageAttacks(plan, results))
    const { count, iterations } = plan.sizes.perImage
    return {
      tables: [
        {
          file: 'table-a3',
          caption: `${count} images, ${iterations} iterations (the paper: 100 images, 1000 iterations); means over the images fooled; kept: of those, still fooled at the end`,
          columns: [
            { key: 'problem', title: 'problem' },
            { key: 'method', title: 'method' },
            { key: 'rate', title: 'rate', as: 'rate' },
            { key: 'images', title: 'images', as: 'number' },
            { key: 'success', title: 'success', as: 'percent' },
            { key: 'paperSuccess', title: 'paper', as: 'percent', paper: true },
            { key: 'firstIterations', title: 'iterations to 1st', as: 'number' },
            { key: 'paperFirstIterations', title: 'paper', as: 'number', paper: true },
            { key: 'firstL2sq', title: '‖δ‖² at 1st', as: 'number' },
            { key: 'paperFirstL2sq', title: 'paper', as: 'number', paper: true, digits: 2 },
            { key: 'finalL2sq', title: '‖δ‖² at end', as: 'number' },
            { key: 'paperFinalL2sq', title: 'paper', as: 'number', paper: true, digits: 2 },
            { key: 'kept', title: 'kept', as: 'percent' },
          ],
          rows: attacks.map(rowOf),
        },
        {
          file: 'table-a3-queries',
          caption:
            'The same attacks at equal queries, which ZO-SCD uses up in half the iterations; objective: mean of λ f + ‖δ‖² over all images',
          columns: [
            { key: 'problem', title: 'problem' },
            { key: 'method', title: 'method' },
            { key: 'queries', title: 'queries', as: 'number' },
            { key: 'success', title: 'success', as: 'percent' },
            { key: 'firstQueries', title: 'queries to 1st', as: 'number' },
            { key: 'objective', title: 'objective', as: 'number' },
            { key: 'objectiveAtEnd', title: 'objective at equal iterations', as: 'number' },
          ],
          rows: attacks.map((attack) => queryRow(attack, attacks)),
        },
      ],
      remarks: [errata.tableA3, errata.queries, ...rateRemarks(plan)],
    }
  },
}

function rowOf({ problem, method, rate, report }: PerImageAttack) {
  const summary = report?.summary
  const paper = published[problem][method.name]
  return {
    problem,
    method: method.title,
    rate,
    images: summary?.attacked,
    success: summary?.attackSuccessRate,
    paperSuccess: paper?.successRate,
    firstIterations: summary?.firstSuccessIterations.mean,
    paperFirstIterations: paper?.firstIterations,
    firstL2sq: summary?.firstSuccessL2sq.mean,
    paperFirstL2sq: paper?.firstL2sq,
    finalL2sq: summary?.finalL2sq.mean,
    paperFinalL2sq: paper?.finalL2sq,
    kept: summary?.kept,
  }
}

function queryRow({ problem, method, report }: PerImageAttack, all: readonly PerImageAttack[]) {
  const names = { problem, method: method.title }
  if (report === undefined) return names
  const rivals = all.flatMap((each) => (each.problem === problem && each.report !== undefined ? [each.report] : []))
  const limit = commonLimit(rivals, 'queries')
  return {
    ...names,
    queries: limit.most,
    ...fooledWithin(report, limit),
    objective: meanObjective(report, limit),
    objectiveAtEnd: meanObjective(report, commonLimit(rivals, 'iterations')),
  }
}

/** The share of images fooled within a limit, and the queries that took on average. */
function fooledWithin(report: AttackReport, limit: Limit) {
  const images = attackedImages(report)
  const efforts = images.map((image) => firstSuccess(image, limit)).filter((effort) => effort <= limit.most)
  return { success: efforts.length / images.length, firstQueries: mean(efforts) }
}

function meanObjective(report: AttackReport, limit: Limit): number {
  return mean(attackedImages(report).map((image) => objectiveAt(image, limit)))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length
}
