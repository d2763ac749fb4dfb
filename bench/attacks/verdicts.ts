import { grouped } from '../general/summary.ts'
import { type Cell, cells } from './cells.ts'
import { type Goal, goals, type Measure } from './goals.ts'
import { whiteBox } from './peers.ts'
import type { Row } from './rows.ts'
import { distanceRatio, firstQueries, meanSquare, medianDistance, rowsOf, successWithin } from './summary.ts'

/** One line of the table of goals. */
export interface Verdict {
  readonly what: string
  readonly goal: string
  readonly measured: string
  /** The best single peer by the same measure, among those that attacked as many images. */
  readonly peer: string
  /** Undefined where nothing was measured. */
  readonly met: boolean | undefined
}

/** How one method stands against all goals. Numbers are compared as they are printed. */
export function verdicts(method: string, rows: readonly Row[]): Verdict[] {
  return goals.map((goal) => {
    const all = rowsOf(goal.cell, rows)
    const own = all.filter(({ solver }) => solver === method)
    const value = measured(goal, own, all)
    return {
      what: `${(cells[goal.cell] as Cell).title}: ${measureText(goal.measure)}`,
      goal: `${isShare(goal.measure) ? '>=' : goal.strict ? '<' : '<='} ${valueText(goal.measure, goal.aim, imagesOf(goal))}`,
      measured: value === undefined ? '-' : valueText(goal.measure, value, images(own)),
      peer: bestPeer(goal, all, images(own)),
      met: value === undefined ? undefined : isMet(goal, value),
    }
  })
}

/** The value of a measure; undefined where there are no runs, or nothing to compare them with. */
function measured({ cell, measure }: Goal, runs: readonly Row[], all: readonly Row[]): number | undefined {
  if (runs.length === 0) return undefined
  const { budget } = cells[cell] as Cell
  const value = {
    success: () => successWithin(runs, budget),
    within: () => successWithin(runs, queriesOf(measure)),
    'first-queries': () => firstQueries(runs, budget),
    l2: () => medianDistance(runs, queriesOf(measure)),
    'squared-l2': () => meanSquare(runs, queriesOf(measure)),
    'white-box-ratio': () => distanceRatio(runs, all.filter(isReference), queriesOf(measure)),
  }[measure.of]()
  return Number.isNaN(value) ? undefined : value
}

function isReference({ solver }: Row): boolean {
  return solver === whiteBox
}

function queriesOf(measure: Measure): number {
  return 'queries' in measure ? measure.queries : Infinity
}

function isShare({ of }: Measure): boolean {
  return of === 'success' || of === 'within'
}

function isMet({ measure, aim, strict = false }: Goal, value: number): boolean {
  if (isShare(measure)) return value >= aim - 1e-9
  const printed = Number(numberText(measure, value))
  return strict ? printed < aim : printed <= aim
}

function bestPeer(goal: Goal, all: readonly Row[], wanted: number): string {
  const peers = grouped(
    all.filter((row) => !row.own && !isReference(row)),
    ({ solver }) => solver,
  ).flatMap((runs) => {
    const value = images(runs) < wanted ? undefined : measured(goal, runs, all)
    const success = successWithin(runs, (cells[goal.cell] as Cell).budget)
    return value === undefined ? [] : [{ solver: (runs[0] as Row).solver, value, images: images(runs), success }]
  })
  const sign = isShare(goal.measure) ? -1 : 1
  // Queries are of successes alone: whoever fails on hard images needs few.
  const bySuccess = goal.measure.of === 'first-queries' ? 1 : 0
  const [best] = peers.sort((a, b) => bySuccess * (b.success - a.success) || sign * (a.value - b.value))
  return best === undefined ? '-' : `${valueText(goal.measure, best.value, best.images)} ${best.solver}`
}

function images(runs: readonly Row[]): number {
  return new Set(runs.map(({ image }) => image)).size
}

function imagesOf({ cell }: Goal): number {
  return (cells[cell] as Cell).images
}

function measureText(measure: Measure): string {
  const queries = 'queries' in measure ? measure.queries.toLocaleString('en') : ''
  return {
    success: 'success',
    within: `success within ${queries} queries`,
    'first-queries': 'mean queries to the first success',
    l2: `median l2 at ${queries}`,
    'squared-l2': `mean squared l2 at ${queries}`,
    'white-box-ratio': `l2 against the white-box limit at ${queries}`,
  }[measure.of]
}

/** Shares as images out of how many: the mean over seeds. */
function valueText(measure: Measure, value: number, of: number): string {
  return isShare(measure) ? shareText(value, of) : numberText(measure, value)
}

/** A share of images, to one decimal where it is the mean over several seeds. */
export function shareText(share: number, of: number): string {
  return `${Number((share * of).toFixed(1))} of ${of}`
}

function numberText({ of }: Measure, value: number): string {
  return of === 'first-queries' ? value.toFixed(0) : distanceText(value)
}

/** A distance to three decimals; a dash where there is none. */
export function distanceText(value: number): string {
  return Number.isFinite(value) ? value.toFixed(3) : '-'
}
