import { universalMethods } from './cells.ts'
import type { Cell, Experiment } from './experiment.ts'
import type { Plan } from './plan.ts'
import { errata, tableA2 as published } from './published.ts'
import { triedRates } from './rates.ts'
import { universalRemarks } from './reference-remarks.ts'
import { effortRemark, searchTable } from './table-a1.ts'

/** The cells of the search for learning rates of universal attacks. */
export function universalSearchCells(plan: Plan): Cell[] {
  return universalMethods.flatMap(({ name }) => triedRates(plan, 'universal', name).map(({ cell }) => cell))
}

/** Table A2: the same as Table A1 for perturbations that all images share. */
export const tableA2: Experiment = {
  name: 'table-a2',
  title: 'Table A2: learning rates of universal attacks',
  cells: universalSearchCells,
  draw: (plan, results) => ({
    tables: [
      searchTable(plan, results, {
        problem: 'universal',
        methods: universalMethods,
        size: plan.sizes.universalSearch,
        published,
      }),
    ],
    remarks: [errata.tableA2, errata.smd, ...universalRemarks(plan), effortRemark(plan)],
  }),
}
