import { shortNumber } from '../../src/app/report/index.ts'
import type { AttackSummary } from '../../src/robustness/index.ts'
import type { PaperFigure } from '../reproduction/page/figures.ts'
import type { TradeOffPoint } from '../reproduction/page/trade-off-chart.ts'
import { type TradeOffPanel, tradeOffFigure } from '../reproduction/page/trade-off-figure.ts'
import type { Arena } from './arenas.ts'
import type { Entry, Trial } from './attacks.ts'
import { settingText } from './columns.ts'
import { type Contender, contenders } from './contenders.ts'

/** An arena with what is known of it. */
interface Known {
  readonly arena: Arena
  readonly entries: readonly Entry[]
  readonly trials: readonly Trial[]
}

/** From this share of images on a point counts as a success. */
const enough = 0.95

/** Queries to the first success against distortion, a curve for each method over its rates, a panel for each arena. */
export function tradeOff(known: readonly Known[]): PaperFigure[] {
  const caption = `Queries to the first success against the squared distortion at the end, means over the images fooled; a curve is one method over its learning rates, that of zeroth over its growth; larger where it is the setting reported; hollow where fewer than ${100 * enough} % were fooled; lower left is better`
  return tradeOffFigure(known.map(panelOf), { file: 'beyond', caption })
}

/** The tuning images; where nothing was tuned, the points of the images reported on. */
function panelOf({ arena, entries, trials }: Known): TradeOffPanel {
  const { title, plan } = arena
  const isTuned = trials.length > 0
  const { count, iterations } = isTuned ? plan.sizes.search : plan.sizes.perImage
  const series = contenders.map((contender) => ({
    label: contender.title,
    style: contender.style,
    points: isTuned ? trialPoints(trials, contender) : entryPoints(entries, contender),
  }))
  const queries = (11 * iterations + 1).toLocaleString('en')
  return { title: `${title}: ${count} ${isTuned ? 'tuning ' : ''}images, ${queries} queries each`, series }
}

function trialPoints(trials: readonly Trial[], contender: Contender): TradeOffPoint[] {
  return trials.flatMap((trial) => {
    const { option, setting, isChosen, report } = trial
    if (trial.contender !== contender || report === undefined) return []
    const label = setting === undefined ? '' : settingText(setting)
    const name = option === undefined ? '' : `, ${option} ${label}`
    return [pointOf(report.summary, { label, isChosen, name: `${contender.title}${name}` })]
  })
}

function entryPoints(entries: readonly Entry[], contender: Contender): TradeOffPoint[] {
  const entry = entries.find((each) => each.contender === contender)
  const summary = entry?.runs[0]?.report?.summary
  if (summary === undefined) return []
  const label = entry?.rate === undefined ? '' : settingText(entry.rate)
  const name = `${contender.title}${label === '' ? '' : `, rate ${label}`}`
  return [pointOf(summary, { label, isChosen: true, name })]
}

function pointOf(
  { attacked, attackSuccessRate, firstSuccessQueries, finalL2sq }: AttackSummary,
  { label, isChosen, name }: { readonly label: string; readonly isChosen: boolean; readonly name: string },
): TradeOffPoint {
  const [x, y] = [firstSuccessQueries.mean, finalL2sq.mean]
  const success = `${Number((100 * attackSuccessRate).toFixed(1))} % of ${attacked} images`
  const text = `${name}: ${success}, ${shortNumber(x)} queries, ‖δ‖² ${shortNumber(y)}`
  return { x, y, label, text, isHollow: attackSuccessRate < enough, isLarge: isChosen }
}
