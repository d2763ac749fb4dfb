import { courseTable } from '../page/course-tables.ts'
import { courseFigure } from '../page/figures.ts'
import { methodTitles } from './cells.ts'
import type { Experiment } from './experiment.ts'
import { errata } from './published.ts'
import { perImageAttacks, perImageCells } from './table-a3.ts'

/** Fig. 1: loss and distortion over the iterations, a box over the images each. */
export const fig1: Experiment = {
  name: 'fig-1',
  title: 'Fig. 1: loss and distortion of per-image attacks',
  cells: perImageCells,
  draw(plan, results) {
    const runs = perImageAttacks(plan, results).flatMap(({ problem, method, report }) =>
      report === undefined ? [] : [{ name: method.title, problem, report }],
    )
    const { count } = plan.sizes.perImage
    const caption = `Attack loss and squared distortion over the iterations; each box is ${count} images (the paper: 100)`
    return {
      figures: courseFigure(runs, { file: 'fig-1', caption, order: methodTitles }),
      tables: [courseTable(runs, 'fig-1')],
      remarks: [errata.smd],
    }
  },
}
