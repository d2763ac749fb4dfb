import { checks } from '../../theory/index.ts'
import type { Experiment } from './experiment.ts'

/** Proposition 1: the counter-example, on the set as printed and on the one that is meant. Nothing in it is random. */
export const prop1: Experiment = {
  name: 'prop-1',
  title: 'Proposition 1: the counter-example',
  cells: () => [],
  draw: () => ({
    tables: [
      {
        file: 'prop-1',
        caption: 'Where Algorithm 1 ends from (0.5, 0.5) with either projection, alpha = 0.1 / sqrt(t), 2000 steps',
        columns: [
          { key: 'claim', title: 'run' },
          { key: 'predicted', title: 'predicted' },
          { key: 'measured', title: 'measured' },
          { key: 'agrees', title: 'agrees' },
          { key: 'remark', title: 'remark', as: 'prose' },
        ],
        rows: verdicts().map(({ claim, predicted, measured, passed, remark }) => ({
          claim,
          predicted,
          measured,
          agrees: passed ? 'yes' : 'no',
          remark,
        })),
      },
    ],
    remarks: [
      'For a box, as in all attacks of the paper, the two projections are the same: what this proposition is about shows on other sets only.',
    ],
  }),
}

function verdicts() {
  return checks.find(({ id }) => id === 'prop-1')?.run('full') ?? []
}
