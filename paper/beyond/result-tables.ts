import type { AttackSummary } from '../../src/robustness/index.ts'
import type { PaperTable } from '../reproduction/page/paper-table.ts'
import type { Arena } from './arenas.ts'
import { baselineEntry, type Entry } from './attacks.ts'
import { type Column, comparisonCells, dataset, interval, isHeldOut, queriesText, type Row } from './columns.ts'
import { average, compare } from './comparison.ts'
import { baseline } from './contenders.ts'

/** The results of the methods, averaged over their seeds. */
export function resultTable({ name, title, plan }: Arena, entries: readonly Entry[]): PaperTable {
  const { count, iterations } = plan.sizes.perImage
  return {
    file: 'beyond',
    caption: `${title}: ${count} images${isHeldOut(plan) ? ' not used for tuning' : ''}, at most ${queriesText(iterations)} queries each; means over the images fooled, objective over all of them; ± is half the 95 % interval over the seeds; best: at the smallest perturbation that fooled the model; kept: of the images fooled, still so at the end`,
    columns: [
      dataset,
      { key: 'method', title: 'method' },
      { key: 'rate', title: 'rate', as: 'rate' },
      { key: 'seeds', title: 'seeds', as: 'number' },
      { key: 'images', title: 'images', as: 'number' },
      ...spread('success', 'success', 'percent'),
      ...spread('queries', 'queries to 1st'),
      { key: 'medianQueries', title: 'median', as: 'number' },
      ...spread('firstL2sq', '‖δ‖² at 1st'),
      ...spread('finalL2sq', '‖δ‖² at end'),
      ...spread('bestL2sq', '‖δ‖² best'),
      { key: 'kept', title: 'kept', as: 'percent' },
      ...spread('objective', 'objective'),
      { key: 'modelCalls', title: 'model calls', as: 'number' },
    ],
    rows: entries.flatMap((entry) => resultRow(name, entry)),
  }
}

/** A column of averages, and one for the file with the half of their intervals. */
function spread(key: string, title: string, as: 'number' | 'percent' = 'number'): Column[] {
  const plusMinus = `${key}PlusMinus`
  return [
    { key, title, as, plusMinus },
    { key: plusMinus, title: '±', as, isHidden: true },
  ]
}

function resultRow(name: string, { contender, rate, runs }: Entry): Row[] {
  const summaries = runs.flatMap(({ report }) => report?.summary ?? [])
  if (summaries.length === 0) return []
  const over = (key: string, of: (summary: AttackSummary) => number): Record<string, number> => {
    const { mean, reach } = average(summaries.map(of))
    return { [key]: mean, [`${key}PlusMinus`]: reach }
  }
  return [
    {
      dataset: name,
      method: contender.title,
      rate,
      seeds: summaries.length,
      images: Math.max(...summaries.map(({ attacked }) => attacked)),
      ...over('success', ({ attackSuccessRate }) => attackSuccessRate),
      ...over('queries', ({ firstSuccessQueries }) => firstSuccessQueries.mean),
      medianQueries: average(summaries.map(({ firstSuccessQueries }) => firstSuccessQueries.median)).mean,
      ...over('firstL2sq', ({ firstSuccessL2sq }) => firstSuccessL2sq.mean),
      ...over('finalL2sq', ({ finalL2sq }) => finalL2sq.mean),
      ...over('bestL2sq', ({ bestL2sq }) => bestL2sq.mean),
      kept: average(summaries.map(({ kept }) => kept)).mean,
      ...over('objective', ({ finalObjective }) => finalObjective.mean),
      modelCalls: summaries.reduce((sum, { modelCalls }) => sum + modelCalls, 0),
    },
  ]
}

/** Every method against ZO-AdaMM, image by image. */
export function pairedTable({ name, title }: Arena, entries: readonly Entry[]): PaperTable {
  const against = baselineEntry(entries)
  const rivals = against === undefined ? [] : entries.filter((entry) => entry !== against)
  return {
    file: 'beyond-paired',
    caption: `${title}: against ${baseline.title} on the images that both fooled, with the seeds that both have. Times fewer queries: the geometric mean over the images with its 95 % interval, then the ratio of the means. Share: mean distortion over that of ${baseline.title}, with its 95 % interval`,
    columns: [
      dataset,
      { key: 'method', title: 'method' },
      { key: 'images', title: 'images', as: 'number' },
      { key: 'timesFewer', title: 'times fewer queries to 1st', as: 'number' },
      ...interval('timesFewer'),
      { key: 'timesFewerOfMeans', title: 'of the means', as: 'number' },
      { key: 'firstShare', title: 'share of ‖δ‖² at 1st', as: 'number' },
      ...interval('firstShare'),
      { key: 'finalShare', title: 'share of ‖δ‖² at end', as: 'number' },
      ...interval('finalShare'),
      { key: 'bestShare', title: 'share of best ‖δ‖²', as: 'number' },
      ...interval('bestShare'),
    ],
    rows: rivals.flatMap(({ contender, runs }) => {
      const found = compare(runs, against?.runs ?? [])
      return found.images === 0 ? [] : [{ dataset: name, method: contender.title, ...comparisonCells(found) }]
    }),
  }
}
