import type { AttackReport } from '../../../src/robustness/index.ts'
import type { Method } from '../../methods.ts'
import { universalCell, universalMethods } from './cells.ts'
import type { Cell, Experiment, Results } from './experiment.ts'
import type { Plan } from './plan.ts'
import { errata, table2 as published } from './published.ts'
import { chosenRate } from './rates.ts'
import { shownAttacks, universalImages, universalRemarks } from './reference-remarks.ts'
import { universalSearchCells } from './table-a2.ts'

/** A universal attack, as far as it is known. */
export interface UniversalAttack {
  readonly method: Method
  readonly rate: number
  readonly cell: Cell
  readonly report: AttackReport | undefined
}

/** The universal attacks whose rates are known: those of Table 2 and Fig. 2, or of Fig. A2. */
export function universalAttacks(plan: Plan, results: Results, of: 'universal' | 'patterns'): UniversalAttack[] {
  return universalMethods.flatMap((method): UniversalAttack[] => {
    const rate = chosenRate(plan, results, 'universal', method.name)
    if (rate === undefined) return []
    const cell = universalCell(plan, method.name, rate, of)
    return [{ method, rate, cell, report: results.report(cell) }]
  })
}

/** Their cells, with those that find their rates. */
export function universalCells(plan: Plan, results: Results, of: 'universal' | 'patterns' = 'universal'): Cell[] {
  const search = plan.profile === 'tuned' ? universalSearchCells(plan) : []
  return [...search, ...universalAttacks(plan, results, of).map(({ cell }) => cell)]
}

/** Table 2: one perturbation for all images. */
export const table2: Experiment = {
  name: 'table-2',
  title: 'Table 2: universal attack',
  cells: (plan, results) => universalCells(plan, results),
  draw(plan, results) {
    const { count, iterations } = plan.sizes.universal
    return {
      tables: [
        {
          file: 'table-2',
          caption: `${universalImages(plan, count)}, ${iterations} iterations (the paper: 100 images, 40,000 iterations); all four methods ask 11 queries per iteration, each of all images`,
          columns: [
            { key: 'method', title: 'method' },
            { key: 'rate', title: 'rate', as: 'rate' },
            { key: 'images', title: 'images', as: 'number' },
            { key: 'success', title: 'success', as: 'percent' },
            { key: 'paperSuccess', title: 'paper', as: 'percent', paper: true },
            { key: 'finalL2sq', title: '‖δ‖² at end', as: 'number' },
            { key: 'paperFinalL2sq', title: 'paper', as: 'number', paper: true, digits: 2 },
            { key: 'objective', title: 'objective', as: 'number' },
            { key: 'queries', title: 'queries', as: 'number' },
          ],
          rows: shownAttacks(plan, universalAttacks(plan, results, 'universal')).map(rowOf),
        },
      ],
      remarks: [errata.universal, ...universalRemarks(plan)],
    }
  },
}

function rowOf({ method, rate, report }: UniversalAttack) {
  const paper = published[method.name]
  return {
    method: method.title,
    rate,
    images: report?.universal?.images,
    success: report?.summary.attackSuccessRate,
    paperSuccess: paper?.successRate,
    // That of the one perturbation, whether or not it fools an image.
    finalL2sq: report?.universal?.curve.l2sq.at(-1),
    paperFinalL2sq: paper?.finalL2sq,
    objective: report?.summary.finalObjective.mean,
    queries: report?.universal?.queries,
  }
}
