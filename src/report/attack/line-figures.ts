import { type ChartLine, convergenceChart, lineScale, progressEnd } from '../chart/convergence-chart.ts'
import { type Curve, valueAt } from '../chart/curve.ts'
import { thinCurve } from '../chart/thin-curve.ts'
import { type ValueScale, zeroScale } from '../chart/value-scale.ts'
import type { Figure } from '../page/figure-markup.ts'
import { distinctStyles } from '../palette.ts'
import type { AttackRun, Panel } from './attack-run.ts'

/** What figures of lines say. */
export interface LineFigureText {
  readonly file: string
  readonly title: string
  readonly xLabel: string
  readonly yLabel: string
  /** A place and a value in words, for those who do not see the figure. */
  readonly at: (x: number) => string
  readonly value: (y: number) => string
  /** That on which all values can be seen, unless given. */
  readonly scale?: ValueScale
  /** On an even axis that shows 0, whatever the values. */
  readonly linear?: boolean
}

const bins = 240

/** A line per evaluation, a figure per panel, all with the same axes; none where there is nothing to draw. */
export function lineFigures(
  panels: readonly Panel[],
  curve: (run: AttackRun) => Curve | undefined,
  text: LineFigureText,
): Figure[] {
  const drawn = panels
    .map((panel) => ({ panel, lines: panel.runs.flatMap((run) => lineOf(run, curve(run))) }))
    .filter(({ lines }) => lines.length > 0)
  const all = drawn.flatMap(({ lines }) => lines)
  const end = progressEnd(all)
  if (!(end > 0)) return []
  const scale = text.scale ?? (text.linear ? zeroScale(all.map((line) => line.curve.y)) : lineScale(all))
  return drawn.map(({ panel, lines }) => figure(panel, lines, end, { ...text, scale }))
}

function lineOf({ name, style }: AttackRun, curve: Curve | undefined): ChartLine[] {
  return curve === undefined || curve.x.length === 0 ? [] : [{ label: name, style, curve: thinCurve(curve, bins) }]
}

function figure({ title, suffix }: Panel, lines: readonly ChartLine[], end: number, text: LineFigureText): Figure {
  const caption = title === '' ? text.title : `${text.title}, ${title}`
  const file = `${text.file}${suffix}`
  const named = lines.slice(0, distinctStyles)
  const chart = convergenceChart(lines, {
    id: file,
    title: caption,
    description: named.map((line) => lineText(line, text)).join(' '),
    xLabel: text.xLabel,
    yLabel: text.yLabel,
    others: lines.length > distinctStyles ? `${lines.length - distinctStyles} more` : undefined,
    scale: text.scale,
    end,
  })
  return { file, chart, caption }
}

function lineText({ label, curve }: ChartLine, { at, value }: LineFigureText): string {
  const last = curve.x.at(-1) ?? 0
  const half = valueAt(curve, last / 2)
  const start = Number.isFinite(half) ? `${value(half)} at ${at(last / 2)}, ` : ''
  return `${label}: ${start}${value(curve.y.at(-1) ?? 0)} at ${at(last)}.`
}
