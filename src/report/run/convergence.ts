import { type ChartLine, convergenceChart, type LineText } from '../chart/convergence-chart.ts'
import { bandCurve, type Curve, thinCurve } from '../chart/curve.ts'
import { html } from '../markup.ts'
import { countText, readableNumber, secondsText } from '../number-text.ts'
import type { Section } from '../page/document.ts'
import { remark } from '../page/elements.ts'
import { type Figure, figuresMarkup } from '../page/figure.ts'
import { distinctStyles } from '../palette.ts'
import { bestCurve, hasLuckyAnswers, type Progress, type RunData, valueCurve } from './run-data.ts'
import type { RunGroup } from './run-groups.ts'

const mostBins = 240
/** Points in all lines of a figure, about: more would only make the page heavy. */
const mostPoints = 10_000
/** Groups that are drawn: the best ones. */
const mostGroups = 60

/** Best value against queries and against time, as far as there is something to draw. */
export function convergenceFigures(all: readonly RunGroup[], target: number | undefined, document: Document): Figure[] {
  const groups = all.slice(0, mostGroups)
  return (['queries', 'seconds'] as const).flatMap((progress) => figureOf(groups, progress, target, document))
}

/** The figures of convergence, and how to read them. */
export function convergenceSection(groups: readonly RunGroup[], figures: readonly Figure[]): Section {
  const drawn = groups.slice(0, mostGroups)
  const remarks = [explanation(drawn), lucky(drawn), thinned(drawn), undrawn(groups.length - mostGroups)]
  const content = html`${figuresMarkup(figures, 'No iteration has brought a value yet.')}${remarks.map(remark)}`
  return { id: 'convergence', title: 'Convergence', content }
}

function figureOf(
  groups: readonly RunGroup[],
  progress: Progress,
  target: number | undefined,
  document: Document,
): Figure[] {
  const unit = progress === 'queries' ? { label: 'queries', size: 1 } : timeUnit(groups)
  const lines = linesOf(groups, progress, unit.size)
  if (!lines.some(({ curve }) => (curve.x.at(-1) ?? 0) > 0)) return []
  const against = progress === 'queries' ? 'queries' : 'time'
  const id = `convergence-${against}`
  const text: LineText = {
    document,
    id,
    title: `Best value against ${against}`,
    description: descriptionOf(lines, progress, unit.size),
    xLabel: unit.label,
    yLabel: 'best value so far',
    target,
    others: groups.length > distinctStyles ? `${groups.length - distinctStyles} more` : undefined,
  }
  return [{ file: id, chart: convergenceChart(lines, text), caption: text.title }]
}

function linesOf(groups: readonly RunGroup[], progress: Progress, unit: number): ChartLine[] {
  const [group] = groups
  const [run] = group?.counted ?? []
  const alone = groups.length === 1 && group?.counted.length === 1 && run !== undefined
  const bins = Math.min(mostBins, Math.ceil(mostPoints / groups.length / 4))
  const lines = alone ? soloLines(run, progress) : groups.map((each) => groupLine(each, progress, bins))
  return lines
    .filter(({ curve }) => curve.x.length > 0)
    .map((line) => ({ ...line, curve: { ...line.curve, x: line.curve.x.map((x) => x / unit) } }))
}

/** A run on its own also shows how its value went up and down. */
function soloLines(run: RunData, progress: Progress): ChartLine[] {
  const best = thinCurve(bestCurve(run, progress), mostBins)
  const value = thinCurve(valueCurve(run, progress), mostBins)
  return [
    { label: 'best so far', style: { color: 'var(--c1)' }, curve: best },
    { label: 'value at each iteration', style: { color: 'var(--muted)' }, curve: value, faint: true },
  ]
}

function groupLine({ label, style, counted }: RunGroup, progress: Progress, bins: number): ChartLine {
  const curves = counted.map((run) => bestCurve(run, progress)).filter(({ x }) => x.length > 0)
  const [only] = curves
  const curve = curves.length === 1 && only !== undefined ? thinCurve(only, bins) : bandCurve(curves, bins)
  return { label, style, curve }
}

function timeUnit(groups: readonly RunGroup[]): { label: string; size: number } {
  const ends = groups.flatMap(({ counted }) => counted.map((run) => bestCurve(run, 'seconds').x.at(-1) ?? 0))
  const longest = Math.max(...ends)
  if (longest < 1) return { label: 'milliseconds', size: 1e-3 }
  if (longest < 180) return { label: 'seconds', size: 1 }
  if (longest < 3 * 3600) return { label: 'minutes', size: 60 }
  return longest < 3 * 86400 ? { label: 'hours', size: 3600 } : { label: 'days', size: 86400 }
}

function descriptionOf(lines: readonly ChartLine[], progress: Progress, unit: number): string {
  const at = (x: number): string => (progress === 'queries' ? `${countText(x)} queries` : secondsText(x * unit))
  const sentences = lines
    .filter(({ faint }) => faint !== true)
    .slice(0, distinctStyles)
    .map(({ label, curve }) => `${label}: ${ends(curve, at)}.`)
  return sentences.join(' ')
}

function ends({ x, y }: Curve, at: (x: number) => string): string {
  const [fromX = 0, fromY = 0, toX = 0, toY = 0] = [x[0], y[0], x.at(-1), y.at(-1)]
  return `from ${readableNumber(fromY)} after ${at(fromX)} to ${readableNumber(toY)} after ${at(toX)}`
}

function explanation(groups: readonly RunGroup[]): string | undefined {
  if (!groups.some(({ counted }) => counted.length > 1)) return undefined
  return 'Lines are medians over the runs of a group, bands reach from the lower to the upper quartile. A run that has ended keeps its last value.'
}

function lucky(groups: readonly RunGroup[]): string | undefined {
  if (!groups.some(({ counted }) => counted.some(hasLuckyAnswers))) return undefined
  return 'Answers vary here: before its end, a line shows the lowest single answer so far, which is too low by luck. The result is the answer at the point that the method chose, asked again.'
}

function thinned(groups: readonly RunGroup[]): string | undefined {
  const runs = groups.flatMap(({ counted }) => counted)
  const drawn = runs.reduce((sum, { trace }) => sum + trace.iteration.length, 0)
  const total = runs.reduce((sum, { trace, traceLength }) => sum + (traceLength ?? trace.iteration.length), 0)
  if (total <= drawn) return undefined
  return `The figures show ${countText(drawn)} of ${countText(total)} iterations: the first, last, lowest and highest of each stretch of a long run.`
}

function undrawn(count: number): string | undefined {
  if (count <= 0) return undefined
  return `Only the best ${mostGroups} groups are drawn; ${countText(count)} more are in the tables.`
}
