import type { PaperTable } from '../reproduction/page/paper-table.ts'
import type { Plan } from '../reproduction/tables/plan.ts'
import type { Comparison, Ratio } from './comparison.ts'

export type Column = PaperTable['columns'][number]
export type Row = PaperTable['rows'][number]

/** The data set of a row, which a page says in the caption. */
export const dataset: Column = { key: 'dataset', title: 'data set', isHidden: true }

/** The two columns of an interval. */
export function interval(key: string): Column[] {
  return [
    { key: `${key}Low`, title: 'from', as: 'number' },
    { key: `${key}High`, title: 'to', as: 'number' },
  ]
}

/** What a comparison says, as cells of a row. */
export function comparisonCells({ images, timesFewer, timesFewerOfMeans, ...shares }: Comparison) {
  return {
    images,
    ...ratioCells('timesFewer', timesFewer),
    timesFewerOfMeans: timesFewerOfMeans.value,
    ...ratioCells('firstShare', shares.firstShare),
    ...ratioCells('finalShare', shares.finalShare),
    ...ratioCells('bestShare', shares.bestShare),
  }
}

function ratioCells(key: string, { value, low, high }: Ratio): Record<string, number> {
  return { [key]: value, [`${key}Low`]: low, [`${key}High`]: high }
}

/** The queries of an attack of so many iterations. */
export function queriesText(iterations: number): string {
  return (11 * iterations + 1).toLocaleString('en')
}

/** A rate, or another setting, with all its digits but those of its rounding. */
export function settingText(setting: number): string {
  return String(Number(setting.toPrecision(3)))
}

/** Whether there are images to tune on that are not reported on. */
export function isHeldOut({ tuningImages }: Plan): boolean {
  return tuningImages !== undefined
}
