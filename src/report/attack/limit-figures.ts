import type { AttackSummary, LimitSummary } from '../../attacks/records.ts'
import { type Chart, type ChartText, plotChart } from '../chart/plot-chart.ts'
import { linearTicks, shareScale, type Tick } from '../chart/value-scale.ts'
import { html } from '../markup.ts'
import { shown } from '../number-markup.ts'
import { limitText, percentText } from '../number-text.ts'
import type { Section } from '../page/document.ts'
import { type PageColumn, pageTable, remark } from '../page/elements.ts'
import { type Figure, figuresMarkup } from '../page/figure.ts'
import { Plot } from '../plotting.ts'
import type { AttackRun } from './attack-run.ts'
import { limitName } from './attack-settings.ts'

/** Robust accuracy against the limit of an evaluation with several. */
export interface LimitPart {
  readonly figures: readonly Figure[]
  readonly section: Section | undefined
}

const reading =
  'Each limit is attacked with the whole budget, the largest first. An image that withstands a limit withstands the smaller ones, too; it counts as fooled within a limit only by a picture that was evaluated and lies within it. Bars are 95\u00a0% intervals (Wilson). At 0 is the clean accuracy.'

/** The figure and the table of robust accuracy against the limit; nothing where no evaluation has several limits. */
export function limitPart(runs: readonly AttackRun[], document: Document): LimitPart {
  const several = runs.filter(({ report }) => report.summary.limits !== undefined)
  if (several.length === 0) return { figures: [], section: undefined }
  const figures = (['linf', 'l2'] as const).flatMap((norm) => {
    const those = several.filter(({ report }) => normOf(report.summary) === norm)
    return those.length === 0 ? [] : [limitFigure(those, norm, document)]
  })
  const tables = several.map(({ name, report: { summary } }) => {
    const caption = `Robust accuracy within each limit${several.length > 1 ? `: ${name}` : ''}`
    return pageTable(caption, columns, summary.limits ?? [])
  })
  const content = html`${figuresMarkup(figures, '')}${tables}${remark(reading)}`
  return { figures, section: { id: 'limits', title: 'Robust accuracy against the limit', content } }
}

/** The norm in which the limits of an evaluation differ. */
function normOf({ limits = [] }: Pick<AttackSummary, 'limits'>): 'linf' | 'l2' {
  return new Set(limits.map(({ linf }) => linf)).size > 1 ? 'linf' : 'l2'
}

const columns: readonly PageColumn<LimitSummary>[] = [
  { title: 'Limit', cell: limitName },
  { title: 'Robust accuracy', numeric: true, cell: ({ robustAccuracy }) => shown.percent(robustAccuracy) },
  {
    title: '95\u00a0% interval',
    numeric: true,
    cell: ({ robustAccuracyInterval }) => intervalText(robustAccuracyInterval),
  },
  { title: 'Fooled', numeric: true, cell: ({ fooled }) => shown.effort(fooled) },
  { title: 'Withstood', numeric: true, cell: ({ robust }) => shown.effort(robust) },
  { title: 'Not measured', numeric: true, cell: ({ unmeasured }) => shown.effort(unmeasured) },
  { title: 'Queries', numeric: true, cell: ({ queries }) => shown.effort(queries) },
]

function intervalText([low, high]: readonly [number, number]): string {
  return `${percentText(low)} to ${percentText(high)}`
}

const names = { linf: 'l∞', l2: 'l₂' } as const

function limitFigure(runs: readonly AttackRun[], norm: 'linf' | 'l2', document: Document): Figure {
  const title = `Robust accuracy against the ${names[norm]} limit`
  return { file: `robust-accuracy-${norm}`, caption: title, chart: limitChart(runs, norm, { document, title }) }
}

interface Point {
  readonly x: number
  readonly y: number
  readonly low: number
  readonly high: number
}

function pointsOf({ report: { summary } }: AttackRun, norm: 'linf' | 'l2'): Point[] {
  const limits = (summary.limits ?? []).map(({ robustAccuracy, robustAccuracyInterval: [low, high], ...limit }) => {
    return { x: limit[norm] ?? 0, y: robustAccuracy, low, high }
  })
  const clean = summary.cleanAccuracy
  return [{ x: 0, y: clean, low: clean, high: clean }, ...limits].filter(({ y }) => Number.isFinite(y))
}

function limitChart(
  runs: readonly AttackRun[],
  norm: 'linf' | 'l2',
  text: Pick<ChartText, 'document' | 'title'>,
): Chart {
  const lines = runs.map((run) => ({ run, points: pointsOf(run, norm) }))
  const limits = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b)
  const marks = lines.flatMap(({ run, points }) => lineMarks(points, run.style.color))
  const description = lines.map(
    ({ run, points }) => `${run.name}: ${points.map(({ x, y }) => `${percentText(y)} at ${limitText(x)}`).join(', ')}.`,
  )
  return plotChart(
    {
      x: {
        domain: [0, 1.03 * (limits.at(-1) ?? 0) || 1],
        ticks: ticksOf(limits),
        places: limits.map((at) => ({ at, text: limitText(at) })),
      },
      y: shareScale,
      marks,
      entries: runs.map(({ name, style }) => ({ label: name, style })),
      series: lines.map(({ run, points }) => ({
        label: run.name,
        ...run.style,
        x: points.map(({ x }) => x),
        y: points.map(({ y }) => y),
        low: points.map(({ low }) => low),
        high: points.map(({ high }) => high),
      })),
    },
    {
      ...text,
      id: `robust-accuracy-${norm}`,
      description: description.join(' '),
      xLabel: `${names[norm]} limit`,
      yLabel: 'robust accuracy',
    },
  )
}

/** The limits themselves where they are few and apart; round numbers where not. */
function ticksOf(distinct: readonly number[]): readonly Tick[] {
  const end = distinct.at(-1) ?? 1
  const areApart = distinct.every((at, i) => i === 0 || at - (distinct[i - 1] as number) > 0.09 * end)
  if (distinct.length > 8 || !areApart) return linearTicks(0, end, 5)
  return distinct.map((at) => ({ at, text: limitText(at) }))
}

function lineMarks(points: readonly Point[], color: string): Plot.Markish[] {
  const at = { x: points.map(({ x }) => x), y: points.map(({ y }) => y) }
  const bars = points.filter(({ low, high }) => high > low)
  const length = points.length
  return [
    Plot.ruleX(
      { length: bars.length },
      {
        x: bars.map(({ x }) => x),
        y1: bars.map(({ low }) => low),
        y2: bars.map(({ high }) => high),
        stroke: color,
        strokeWidth: 5,
        strokeOpacity: 0.25,
      },
    ),
    Plot.line({ length }, { ...at, stroke: color, strokeWidth: 1.8 }),
    Plot.dot({ length }, { ...at, r: 3.2, fill: color }),
  ]
}
