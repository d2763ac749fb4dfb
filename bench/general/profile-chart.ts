import { type Chart, type ChartText, plotChart } from '../../src/report/chart/plot-chart.ts'
import type { CurveStyle } from '../../src/report/palette.ts'
import { Plot } from '../../src/report/plotting.ts'
import { accuracies } from './oracle.ts'
import type { Row } from './rows.ts'
import { grouped } from './summary.ts'

/** The steps of a data profile: at k[i] simplex gradients the share solved grows to share[i]. */
export interface Profile {
  readonly k: readonly number[]
  readonly share: readonly number[]
}

/** Simplex gradients at both ends of the axis. */
const [first, last] = [1, 500]

/** The data profile of one method's runs: each problem counts the same, whatever its number of seeds. */
export function profile(rows: readonly Row[], tau: number): Profile {
  const index = accuracies.indexOf(tau as (typeof accuracies)[number])
  const problems = grouped(
    rows.filter((row) => row.whole),
    ({ problem }) => problem,
  )
  const steps = problems
    .flatMap((runs) =>
      runs.map(({ hits, dim }) => ({
        k: (hits[index] ?? Infinity) / (dim + 1),
        weight: 1 / runs.length / problems.length,
      })),
    )
    .filter(({ k }) => k <= last)
    .sort((a, b) => a.k - b.k)
  let total = 0
  const share = steps.map(({ weight }) => {
    total += weight
    return total
  })
  return { k: steps.map(({ k }) => k), share }
}

/** A method in a chart. */
export interface ProfileLine {
  readonly label: string
  readonly style: CurveStyle
  readonly rows: readonly Row[]
}

/** Draws the profiles of some methods, the first ones in front. */
export function profileChart(lines: readonly ProfileLine[], tau: number, text: ChartText): Chart {
  return plotChart(
    {
      x: { type: 'log', domain: [first, last], ticks: ticks([1, 3, 10, 30, 100, 500]) },
      y: { type: 'linear', domain: [0, 1], ticks: ticks([0, 0.25, 0.5, 0.75, 1]) },
      marks: lines.toReversed().map(({ rows, style }) => line(profile(rows, tau), style)),
      entries: lines,
    },
    text,
  )
}

function ticks(places: readonly number[]) {
  return places.map((at) => ({ at, text: String(at) }))
}

function line({ k, share }: Profile, { color, dash = 'none' }: CurveStyle) {
  const x = [first, ...k.map((each) => Math.max(first, each)), last]
  const y = [0, ...share, share.at(-1) ?? 0]
  const look = { stroke: color, strokeDasharray: dash, strokeWidth: 1.8 }
  return Plot.line({ length: x.length }, { x, y, ...look, curve: 'step-after' })
}
