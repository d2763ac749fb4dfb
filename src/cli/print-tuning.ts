import { shortNumber, textTable } from '../report/index.ts'
import type { Found } from '../work/index.ts'
import { settingTitle } from '../work/trial-name.ts'

/** What a search found, for people: all that was tried, by learning rate, and how to use the best of it. */
export function tuningText({ tried, best }: Found, folder: string): string {
  const table = textTable(
    tried.toSorted((a, b) => a.learningRate - b.learningRate),
    [
      { title: 'learning rate', align: 'right', cell: ({ learningRate }) => String(learningRate) },
      { title: 'beta1', align: 'right', cell: ({ beta1 }) => String(beta1 ?? '') },
      { title: 'beta2', align: 'right', cell: ({ beta2 }) => String(beta2 ?? '') },
      { title: 'mean value', align: 'right', cell: ({ value }) => shortNumber(value) },
      { title: '', cell: (each) => (each === best ? 'best' : '') },
    ],
  )
  const { learningRate, beta1, beta2 } = best
  const betas = beta1 === undefined ? '' : ` -O solver.beta1=${beta1} -O solver.beta2=${beta2}`
  return [
    table,
    '',
    `best:  ${settingTitle(best)}`,
    `use:   --learning-rate ${learningRate}${betas}`,
    `runs:  ${folder}`,
  ].join('\n')
}
