import type { PaperTable } from '../reproduction/page/paper-table.ts'
import type { Arena } from './arenas.ts'
import type { Trial } from './attacks.ts'
import { type Column, comparisonCells, dataset, interval, queriesText, type Row } from './columns.ts'
import { baseline, favorite } from './contenders.ts'
import { type Judgement, judgedRates } from './goal.ts'

/** ZO-AdaMM with each of its rates against `zeroth` as it is, on the tuning images. */
export function ratesTable({ name, title, plan }: Arena, trials: readonly Trial[]): PaperTable {
  const { count, iterations } = plan.sizes.search
  return {
    file: 'beyond-rates',
    caption: `${title}: ${favorite.title} against every rate of ${baseline.title} that was tried, ${count} tuning images, at most ${queriesText(iterations)} queries each; the rate with the smallest mean objective was chosen. Better: fewer queries to the first success, by image and by the means, no more distortion at the end over the images both fooled, no lower success rate; goal: at least 4 times fewer queries`,
    emphasis: 'chosen',
    columns: [
      dataset,
      { key: 'rate', title: `rate of ${baseline.title}`, as: 'rate' },
      { key: 'success', title: 'success', as: 'percent' },
      { key: 'favoriteSuccess', title: `${favorite.title}: success`, as: 'percent' },
      { key: 'images', title: 'both fooled', as: 'number' },
      { key: 'timesFewer', title: 'times fewer queries to 1st', as: 'number' },
      ...interval('timesFewer'),
      { key: 'timesFewerOfMeans', title: 'of the means', as: 'number' },
      { key: 'finalShare', title: 'share of ‖δ‖² at end', as: 'number' },
      ...interval('finalShare'),
      { key: 'verdict', title: `${favorite.title} is` },
      { key: 'chosen', title: 'chosen', as: 'mark' },
    ],
    rows: judgedRates(trials).map(({ rate, isChosen, judgement }) => ({
      dataset: name,
      rate,
      success: judgement.otherSuccess,
      favoriteSuccess: judgement.success,
      ...comparisonCells(judgement.comparison),
      verdict: verdictText(judgement),
      chosen: isChosen ? 'best' : '',
    })),
  }
}

function verdictText({ isMet, isBetter, isEnough, comparison }: Judgement): string {
  if (isMet) return 'better, goal met'
  if (!isEnough && !isBetter) return 'too few to say'
  if (!isBetter) return 'not better in all'
  return comparison.images === 0 ? 'the only one to fool any' : 'better'
}

/** Every point of the curves, for the file alone: the figure shows them. */
export function curvesTable({ name }: Arena, trials: readonly Trial[]): PaperTable {
  return {
    file: 'beyond-curves',
    caption: 'The points of the curves',
    isHidden: true,
    columns: [
      dataset,
      ...['method', 'option', 'setting', 'chosen', 'images', 'success', 'queries', 'medianQueries'].map(plain),
      ...['firstL2sq', 'finalL2sq', 'bestL2sq', 'objective', 'modelCalls'].map(plain),
    ],
    rows: trials.flatMap(({ contender, option, setting, isChosen, report }): Row[] => {
      if (report === undefined) return []
      const { summary } = report
      return [
        {
          dataset: name,
          method: contender.title,
          option,
          setting,
          chosen: isChosen ? 'yes' : '',
          images: summary.attacked,
          success: summary.attackSuccessRate,
          queries: summary.firstSuccessQueries.mean,
          medianQueries: summary.firstSuccessQueries.median,
          firstL2sq: summary.firstSuccessL2sq.mean,
          finalL2sq: summary.finalL2sq.mean,
          bestL2sq: summary.bestL2sq.mean,
          objective: summary.finalObjective.mean,
          modelCalls: summary.modelCalls,
        },
      ]
    }),
  }
}

function plain(key: string): Column {
  return { key, title: key }
}
