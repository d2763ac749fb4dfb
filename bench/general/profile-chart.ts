import { type Chart, type ChartText, plotChart } from '../../src/app/report/chart/plot-chart.ts'
import type { CurveStyle } from '../../src/app/report/palette.ts'
import { Plot } from '../../src/app/report/plotting.ts'
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
  const profiles = lines.map(({ rows }) => points(profile(rows, tau)))
  return plotChart(
    {
      x: { type: 'log', domain: [first, last], ticks: ticks([1, 3, 10, 30, 100, 500]) },
      y: { type: 'linear', domain: [0, 1], ticks: ticks([0, 0.25, 0.5, 0.75, 1]) },
      marks: lines.map(({ style }, i) => line(profiles[i] as Points, style)).toReversed(),
      entries: lines,
      series: lines.map(({ label, style }, i) => ({ label, ...style, ...(profiles[i] as Points) })),
    },
    text,
  )
}

function ticks(places: readonly number[]) {
  return places.map((at) => ({ at, text: String(at) }))
}

type Points = ReturnType<typeof points>

function points({ k, share }: Profile) {
  return { x: [first, ...k.map((each) => Math.max(first, each)), last], y: [0, ...share, share.at(-1) ?? 0] }
}

function line({ x, y }: Points, { color, dash = 'none' }: CurveStyle) {
  const look = { stroke: color, strokeDasharray: dash, strokeWidth: 1.8 }
  return Plot.line({ length: x.length }, { x, y, ...look, curve: 'step-after' })
}
