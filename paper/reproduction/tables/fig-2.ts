import { universalTable } from '../page/course-tables.ts'
import { universalFigure } from '../page/figures.ts'
import { methodTitles } from './cells.ts'
import type { Experiment } from './experiment.ts'
import { errata } from './published.ts'
import { universalAttacks, universalCells } from './table-2.ts'

/** Fig. 2: loss and distortion of the one perturbation over the iterations. */
export const fig2: Experiment = {
  name: 'fig-2',
  title: 'Fig. 2: loss and distortion of the universal attack',
  cells: (plan, results) => universalCells(plan, results),
  draw(plan, results) {
    const runs = universalAttacks(plan, results, 'universal').flatMap(({ method, report }) =>
      report === undefined ? [] : [{ name: method.title, problem: 'constrained', report }],
    )
    const caption =
      'Mean attack loss and squared distortion of one perturbation for all images; all four methods ask 11 queries per iteration, so that equal iterations are equal queries'
    return {
      figures: universalFigure(runs, { file: 'fig-2', caption, order: methodTitles }),
      tables: [universalTable(runs, 'fig-2')],
      remarks: [errata.smd],
    }
  },
}
