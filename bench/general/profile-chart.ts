import { type Chart, type ChartText, plotChart } from '../../src/report/chart/plot-chart.ts'
import { type CurveStyle, curveStyle, distinctStyles } from '../../src/report/palette.ts'
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

/** Draws the profiles of some methods, the first ones in front. Methods beyond the styles that can be told apart are grey. */
export function profileChart(methods: readonly (readonly Row[])[], tau: number, text: ChartText): Chart {
  const lines = methods.map((rows, i) => ({
    label: rows[0]?.solver ?? '',
    style: curveStyle(i),
    profile: profile(rows, tau),
  }))
  const others = lines.length > distinctStyles ? `${lines.length - distinctStyles} more` : undefined
  return plotChart(
    {
      x: { type: 'log', domain: [first, last], ticks: ticks([1, 3, 10, 30, 100, 500]) },
      y: { type: 'linear', domain: [0, 1], ticks: ticks([0, 0.25, 0.5, 0.75, 1]) },
      marks: lines.toReversed().map(line),
      entries: lines,
    },
    { ...text, others },
  )
}

function ticks(places: readonly number[]) {
  return places.map((at) => ({ at, text: String(at) }))
}

function line({ profile: { k, share }, style }: { readonly profile: Profile; readonly style: CurveStyle }) {
  const x = [first, ...k.map((each) => Math.max(first, each)), last]
  const y = [0, ...share, share.at(-1) ?? 0]
  const look = { stroke: style.color, strokeDasharray: style.dash ?? 'none', strokeWidth: 1.8 }
  return Plot.line({ length: x.length }, { x, y, ...look, curve: 'step-after' })
}
