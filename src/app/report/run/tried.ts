import { unitScale } from '../../../optimizer/core/space.ts'
import { scaleOf } from '../../../optimizer/core/variable.ts'
import type { Variable } from '../../../optimizer/core/variable-types.ts'
import { namedVariables } from '../../../optimizer/core/variables.ts'
import { type Explanation, explain } from '../../../optimizer/methods/bayesian/explanation.ts'
import type { TriedPoint } from '../../jobs/tuned.ts'
import { linearTicks, logTicks, placed, shareScale, type Tick, type ValueScale, valueScale } from '../chart/axis.ts'
import { evenly } from '../chart/charts.ts'
import { type ChartContent, plotChart, ticksAcross } from '../chart/plot-chart.ts'
import { html, type Markup } from '../markup.ts'
import { percentText, readableNumber, shortened, variableValue } from '../number-text.ts'
import {
  type Figure,
  figuresMarkup,
  moreThanShown,
  type PageColumn,
  pageTable,
  remark,
  type Section,
  shown,
} from '../page/elements.ts'
import { Plot } from '../plotting.ts'
import type { RunPoints } from './runs.ts'

/** A variable along an axis from 0 to 1, as the model has it. */
interface Axis {
  readonly name: string
  readonly ticks: readonly Tick[]
  /** What stands at 0 and at 1. */
  readonly ends: readonly string[]
  /** Where a number in own units stands. */
  readonly place: (own: number) => number
  /** Where the model is asked. */
  readonly places: readonly number[]
  readonly isChoice: boolean
}

/** What figures are drawn from: settings with a value, best first. */
interface Seen extends RunPoints {
  readonly ok: readonly TriedPoint[]
  readonly axes: readonly Axis[]
  readonly scale: ValueScale
  readonly document: Document
}

/** What the model says, the best setting as it has it, and -1 where more is better. */
interface Why extends Explanation {
  readonly best: Float64Array
  readonly sign: number
}

const most = { rows: 500, lines: 300, slices: 12, places: 33, cells: 24, pairs: 6 }
const dots = { r: 2.3, fill: 'var(--c1)', fillOpacity: 0.6 }
const strong = { stroke: 'var(--c2)', strokeWidth: 2 }
const unit = [0, 1] as const
const hasValue = ({ status }: TriedPoint): boolean => status === 'ok' || status === 'cached'
const indices = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

/** What matters, and all that was tried, as sections with their figures. */
export function triedSections(points: RunPoints, document: Document): { sections: Section[]; figures: Figure[] } {
  const { tried, command } = points
  if (tried.points.length === 0) return { sections: [], figures: [] }
  const sign = tried.maximize ? -1 : 1
  const ok = tried.points.filter(hasValue).sort((a, b) => sign * (a.value - b.value))
  const axes = tried.names.map((name) => axisOf(name, tried.variables[name] as Variable))
  const scale = valueScale([Float64Array.from(ok, ({ value }) => value)])
  const seen: Seen = { ...points, ok, axes, scale, document }
  const numbers = ok.map((each) => each.numbers)
  const values = ok.map(({ value }) => sign * value)
  const model = explain(namedVariables(tried.variables), numbers, values)
  const why = model && { ...model, sign, best: model.place(numbers[0] as Float64Array) }
  const because = why === undefined ? [] : whyFigures(seen, why)
  const course = ok.length === 0 ? [] : [history(seen), parallel(seen), ...timeline(seen), spread(seen)]
  const best = command && html`<pre><code>${command}</code></pre>\n`
  const all = html`${best}${figuresMarkup(course, 'No setting has a value.')}${settings(seen)}`
  const matters = why && html`${figuresMarkup(because, '')}${remarks(seen, why)}`
  const sections = [
    ...(matters === undefined ? [] : [{ id: 'matters', title: 'What matters', content: matters }]),
    { id: 'tried', title: 'What was tried', content: all },
  ]
  return { sections, figures: [...because, ...course] }
}

function axisOf(name: string, variable: Variable): Axis {
  const { coordinate, at, own, value } = scaleOf(variable)
  const scale = unitScale(coordinate, { low: 0, high: 1 })
  const place = (number: number): number => scale.unit(at(number))
  const isChoice = coordinate.kind === 'categories'
  if (coordinate.kind === 'continuous') {
    const { from, to, scale: kind } = variable as { from: number; to: number; scale?: string }
    const ticks = kind === 'log' ? logTicks(from, to) : linearTicks(from, to, 5)
    const places = indices(most.places).map((k) => k / (most.places - 1))
    const placed = ticks.map((tick) => ({ at: place(tick.at), text: tick.text }))
    return { name, place, places, isChoice, ticks: placed, ends: [from, to].map((end) => readableNumber(end)) }
  }
  const levels = indices(coordinate.count)
  const text = (level: number): string => shortened(variableValue(value(own(level))), 12)
  const longest = Math.max(...evenly(levels, 9).map((level) => text(level).length))
  const every = Math.ceil(levels.length / Math.max(2, Math.floor(52 / (longest + 2))))
  const ends = evenly(levels, 2).map(text)
  const ticks = levels.filter((level) => level % every === 0).map((k) => ({ at: scale.unit(k), text: text(k) }))
  return { name, place, places: evenly(levels, most.places).map(scale.unit), isChoice, ticks, ends }
}

type Said = readonly [id: string, title: string, x: string, y: string, caption: string]

function drawn({ document }: Seen, said: Said, content: Omit<ChartContent, 'entries'>): Figure {
  const [id, title, xLabel, yLabel, caption] = said
  const text = { document, id, title, description: caption, xLabel, yLabel }
  return { file: id, caption, chart: plotChart({ ...content, entries: [] }, text) }
}

/** Every setting in its turn, and the best so far. */
function history(seen: Seen): Figure {
  const { tried, scale } = seen
  const last = tried.points.at(-1)?.query ?? 1
  const rises: { x: number; y: number }[] = []
  for (const { query: x, value: y } of tried.points.filter(hasValue)) {
    const before = rises.at(-1)?.y ?? Number.NaN
    if (!(tried.maximize ? y <= before : y >= before)) rises.push({ x, y })
  }
  const line = [...rises, { x: last, y: rises.at(-1)?.y ?? 0 }]
  const y = ({ value }: TriedPoint): number => placed(scale, Number.isNaN(value) ? scale.domain[1] : value)
  const of = (wanted: string): TriedPoint[] => tried.points.filter(({ status }) => status === wanted)
  const marks = [
    Plot.line(line, { x: 'x', y: 'y', curve: 'step-after', stroke: 'var(--c1)', strokeWidth: 1.8 }),
    Plot.dot(tried.points.filter(hasValue), { x: 'query', y, ...dots }),
    Plot.dot(of('infeasible'), { x: 'query', y, r: 3, stroke: 'var(--c2)' }),
    Plot.dot(of('failed'), { x: 'query', y, r: 3.4, symbol: 'times', stroke: 'var(--bad)' }),
  ]
  const color = 'var(--c1)'
  const series = [{ label: 'best so far', color, x: line.map((each) => each.x), y: line.map((each) => each.y) }]
  const caption =
    'Values in the order of the answers, and the best so far; rings broke a limit, crosses on the upper edge failed'
  const x = { domain: [0, last + 1] as const, ticks: ticksAcross(0, last, { xLabel: 'queries' }) }
  return drawn(seen, ['history', 'Values in their order', 'queries', 'value', caption], { x, y: scale, marks, series })
}

function whyFigures(seen: Seen, why: Why): Figure[] {
  const { importance, pairs } = why
  const order = indices(seen.axes.length).sort((a, b) => (importance[b] as number) - (importance[a] as number))
  const first = order.slice(0, most.slices)
  const together = pairs.slice(0, 1).map(({ pair: [a, b] }) => contour(seen, why, a, b))
  return [importanceBars(seen, why, first), ...together, ...first.map((i) => slice(seen, why, i))]
}

function importanceBars(seen: Seen, { importance, ofLogarithms }: Why, order: readonly number[]): Figure {
  const bars = order.map((i, k) => ({ at: k + 0.5, share: Math.min(1, importance[i] as number) }))
  const letters = Math.max(3, Math.floor(58 / bars.length))
  const places = order.map((i, k) => ({ at: k + 0.5, text: shortened(seen.tried.names[i] as string, letters) }))
  const color = 'var(--c1)'
  const side = (by: number) => bars.map(({ at }) => at + by)
  const marks = [Plot.rect(bars, { x1: side(-0.3), x2: side(0.3), y1: 0, y2: 'share', fill: color })]
  const series = [{ label: 'share', color, x: bars.map(({ at }) => at), y: bars.map(({ share }) => share) }]
  const variance = ofLogarithms ? 'variance of the logarithm of the value' : 'variance'
  const caption = `The share of the ${variance} that a variable has a part in, alone or with others: Sobol’s total index of the model`
  const said: Said = ['importance', 'Which variables matter', 'variable', 'share of the variance', caption]
  return drawn(seen, said, { x: { domain: [0, bars.length], ticks: places, places }, y: shareScale, marks, series })
}

/** The best setting with other values in some places. */
function moved(best: Float64Array, ...changes: readonly (readonly [at: number, place: number])[]): Float64Array {
  const place = best.slice()
  for (const [i, to] of changes) place[i] = to
  return place
}

function slice(seen: Seen, { forecast, best, sign }: Why, i: number): Figure {
  const { name, ticks, places, place, isChoice } = seen.axes[i] as Axis
  const y = (value: number): number => placed(seen.scale, sign * value)
  const beliefs = forecast(places.map((to) => moved(best, [i, to])))
  const line = beliefs.map(({ mean, low, high }, k) => ({ x: places[k], y: y(mean), y1: y(low), y2: y(high) }))
  const [at, ends] = [
    { x: 'x', y: 'y' },
    { x: 'x', y1: 'y1', y2: 'y2' },
  ]
  const model = isChoice
    ? [Plot.ruleX(line, { ...ends, ...strong, strokeOpacity: 0.5 }), Plot.dot(line, { ...at, ...strong, r: 5 })]
    : [Plot.areaY(line, { ...ends, fill: 'var(--c2)', fillOpacity: 0.16 }), Plot.line(line, { ...at, ...strong })]
  const own = seen.ok.filter(({ values }) => values[i] !== undefined)
  const marks = [...model, Plot.dot(own, { x: ({ numbers }) => place(numbers[i]), y: 'value', ...dots })]
  const caption = `Dots are settings; the rest is what the model expects if only ${name} of the best one changes, with 95 % intervals`
  const said: Said = [`slice-${i + 1}`, `What ${name} does`, name, 'value', caption]
  return drawn(seen, said, { x: { domain: unit, ticks }, y: seen.scale, marks })
}

function contour(seen: Seen, { forecast, place, best, sign }: Why, a: number, b: number): Figure {
  const [across, upwards] = [seen.axes[a] as Axis, seen.axes[b] as Axis]
  const cells = parts(across).flatMap(([x, x1, x2]) =>
    parts(upwards).map(([y, y1, y2]) => ({ x1, x2, y1, y2, at: moved(best, [a, x], [b, y]) })),
  )
  const values = forecast(cells.map(({ at }) => at)).map(({ mean }) => mean)
  const sorted = [...values].sort((one, other) => one - other)
  const fillOpacity = values.map((value) => 0.85 - 0.1 * Math.floor((8.99 * sorted.indexOf(value)) / sorted.length))
  const own = seen.ok.map(({ numbers }) => place(numbers))
  const at = { x: own.map((each) => each[a]), y: own.map((each) => each[b]) }
  const marks = [
    Plot.rect(cells, { x1: 'x1', x2: 'x2', y1: 'y1', y2: 'y2', fill: 'var(--c3)', fillOpacity, inset: -0.2 }),
    Plot.dot(own, { ...at, r: 1.8, fill: 'var(--ink)' }),
    Plot.dot([best], { x: [best[a]], y: [best[b]], r: 5, ...strong }),
  ]
  const [worst, top] = [sorted.at(-1), sorted[0]].map((value) =>
    readableNumber(Number((sign * (value as number)).toPrecision(3))),
  )
  const caption = `What the model expects, the fuller the better, from ${worst} to ${top}, with all else as in the best setting (the ring); dots are settings`
  const said: Said = ['contour', `${across.name} and ${upwards.name} together`, across.name, upwards.name, caption]
  const y = { type: 'linear', domain: unit, ticks: upwards.ticks } as const
  return drawn(seen, said, { x: { domain: unit, ticks: across.ticks }, y, marks })
}

/** Places of an axis, each with the ends of what is nearest to it. */
function parts(axis: Axis): (readonly [at: number, from: number, to: number])[] {
  const places = evenly(axis.places, most.cells)
  const between = (k: number): number => ((places[k - 1] as number) + (places[k] as number)) / 2
  return places.map((at, k) => [at, k === 0 ? 0 : between(k), k === places.length - 1 ? 1 : between(k + 1)])
}

/** A line for each setting through all its variables to its value. */
function parallel(seen: Seen): Figure {
  const { ok, axes, scale } = seen
  const on = scale.type === 'log' ? Math.log : Number
  const [low, high] = scale.domain.map(on) as [number, number]
  const ranks = evenly(indices(ok.length), most.lines).reverse()
  const lines = ranks.map((rank) => {
    const { numbers, values, value } = ok[rank] as TriedPoint
    const inner = axes.flatMap(({ place }, x) =>
      values[x] === undefined ? [] : [{ x, y: place(numbers[x] as number) }],
    )
    const data = [...inner, { x: axes.length, y: (on(placed(scale, value)) - low) / (high - low) }]
    const rest = 1 - rank / ok.length
    const look = rank === 0 ? strong : { stroke: 'var(--c1)', strokeOpacity: 0.08 + 0.72 * rest * rest }
    return Plot.line(data, { x: 'x', y: 'y', ...look })
  })
  const letters = Math.max(3, Math.floor(62 / (axes.length + 1)))
  const ticks = [...axes.map(({ name }) => name), 'value'].map((name, at) => ({ at, text: shortened(name, letters) }))
  const named = [...axes.map((each) => each.ends), scale.ticks.map((tick) => tick.text)]
  const ends = [0, 1].map((y) =>
    Plot.text(named, {
      ...{ x: (_: unknown, x: number) => x, y: () => y, dy: y === 0 ? 8 : -8, fill: 'var(--muted)', fontSize: 10 },
      text: (own: readonly string[]) => own.at(-y),
    }),
  )
  const marks = [...lines, Plot.ruleX(ticks, { x: 'at', y1: 0, y2: 1, stroke: 'var(--muted)' }), ...ends]
  const caption = 'A line for each setting, the fuller the better; the best one has the second colour'
  const y = { type: 'linear', domain: [-0.12, 1.1], ticks: [] } as const
  const x = { domain: [-0.4, axes.length + 0.4] as const, ticks }
  return drawn(seen, ['parallel', 'Settings side by side', 'variable', '', caption], { x, y, marks })
}

/** Which settings were measured when, one above the other where several were under way. */
function timeline(seen: Seen): Figure[] {
  const { details, points } = seen.tried
  const column = details.indexOf('seconds')
  const known = points.filter((point) => (point.details[column] as number) >= 0)
  if (known.length === 0) return []
  const free: number[] = []
  const looks: Readonly<Record<string, string>> = { failed: 'var(--bad)', infeasible: 'var(--c2)' }
  const bars = known
    .map((point) => ({ ...point, from: Math.max(0, point.at - (point.details[column] as number)) }))
    .sort((a, b) => a.from - b.from)
    .map(({ from, at, status }) => {
      const found = free.findIndex((until) => until <= from + 1e-3)
      const lane = found < 0 ? free.length : found
      free[lane] = at
      return { x1: from, x2: at, y1: lane + 0.6, y2: lane + 1.4, fill: looks[status] ?? 'var(--c1)' }
    })
  const last = Math.max(...free)
  const ends = { x1: 'x1', x2: 'x2', y1: 'y1', y2: 'y2' }
  const marks = [...new Set(bars.map(({ fill }) => fill))].map((fill) =>
    Plot.rect(bars, { filter: (bar) => bar.fill === fill, ...ends, fill, fillOpacity: 0.7, insetRight: 0.5 }),
  )
  const ticks = evenly(indices(free.length), 8).map((lane) => ({ at: lane + 1, text: String(lane + 1) }))
  const caption = 'When each setting was measured, and how many at once; in other colours what broke a limit or failed'
  const x = { domain: [0, last] as const, ticks: ticksAcross(0, last, { xLabel: 'seconds' }) }
  const y = { type: 'linear', domain: [0.4, free.length + 0.6], ticks } as const
  return [drawn(seen, ['timeline', 'When settings were measured', 'seconds', 'worker', caption], { x, y, marks })]
}

/** How many settings are so good or better. */
function spread(seen: Seen): Figure {
  const { ok, scale, tried } = seen
  const { type, domain, ticks } = scale
  const y = ok.map((_, rank) => (rank + 1) / ok.length)
  const curve = tried.maximize ? 'step-before' : 'step-after'
  const marks = [Plot.line(ok, { x: ({ value }) => placed(scale, value), y, curve, stroke: 'var(--c1)' })]
  const every = Math.ceil(ticks.length / 6)
  const x = { type, domain, ticks: ticks.filter((_, i) => i % every === 0) }
  const said: Said = ['spread', 'How values are spread', 'value', 'share', 'The share of settings so good or better']
  return drawn(seen, said, { x, y: shareScale, marks })
}

/** How far the model is to be believed, and which variables must be set together. */
function remarks({ tried: { names } }: Seen, { foresight, pairs }: Why): Markup {
  const poor = foresight < 0.5 ? ' That is little: take what it says with care.' : ''
  const model = `The model is a Gaussian process of the settings that have a value. What it expects of each from all others correlates with its value by ${foresight.toFixed(2)}.${poor}`
  const those = pairs.filter(({ share }) => share >= 0.01).slice(0, most.pairs)
  const texts = those.map(({ pair, share }) => `${pair.map((i) => names[i]).join(' and ')} ${percentText(share)}`)
  const together = `Pairs that matter together, by the share of the variance that neither brings about alone: ${texts.join(', ')}.`
  return html`${remark(texts.length > 0 ? together : undefined)}${remark(model)}`
}

/** All settings, best first, then what broke a limit, then what failed. */
function settings({ tried, ok }: Seen): Markup {
  const rest = (['infeasible', 'failed'] as const).flatMap((wanted) =>
    tried.points.filter(({ status }) => status === wanted),
  )
  const all = [...ok, ...rest]
  const why = { title: 'Why it has no value', cell: ({ reason = '' }: TriedPoint) => shortened(reason, 300) }
  const columns: PageColumn<TriedPoint>[] = [
    { title: 'Query', cell: ({ query }) => String(query) },
    { title: 'Value', numeric: true, cell: ({ value }) => shown.value(value) },
    ...tried.names.map((title, i) => ({
      ...{ title, numeric: typeof all[0]?.values[i] === 'number' },
      cell: ({ values }: TriedPoint) => (values[i] === undefined ? '–' : variableValue(values[i])),
    })),
    ...tried.details.slice(1).map((title, k) => ({
      ...{ title, numeric: true },
      cell: ({ details }: TriedPoint) => shown.value(details[k + 1] as number),
    })),
    ...(rest.length === 0 ? [] : [why]),
  ]
  const cut = moreThanShown(all.length - most.rows, 'settings are not shown: zeroth export --points has them.')
  return html`${pageTable('All settings, best first', columns, all.slice(0, most.rows))}${cut}`
}
