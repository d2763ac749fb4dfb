import { countText, percentText, readableNumber } from '../number-text.ts'

/** One axis of a chart. */
export interface ChartAxis {
  readonly label: string
  readonly type: 'linear' | 'log'
  readonly domain: readonly [number, number]
  /** From where to where there is something, if the axis is only a part of that. */
  readonly whole?: readonly [number, number] | undefined
  readonly ticks: readonly Tick[]
  /** Shares are written in percent. */
  readonly unit?: 'percent' | undefined
  /** Its values are counts: there is none between two of them. */
  readonly isWhole?: boolean | undefined
  /** There is nothing to see but at these places: a chart of boxes, or of a few measurements. */
  readonly places?: readonly Tick[] | undefined
}

/** One line of a chart in numbers, or one row of boxes: then y are medians. Each value holds until the next. */
export interface ChartSeries {
  readonly label: string
  readonly color: string
  readonly dash?: string | undefined
  readonly x: readonly number[]
  readonly y: readonly number[]
  /** The band around it. */
  readonly low?: readonly number[] | undefined
  readonly high?: readonly number[] | undefined
}

/** What a chart shows, in numbers: for values under the pointer, for zoom, and for the table beside it. It is JSON. */
export interface ChartData {
  /** Where marks lie, in units of the drawing. */
  readonly frame: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number }
  readonly x: ChartAxis
  readonly y: ChartAxis
  /** Those that can be told apart. */
  readonly series: readonly ChartSeries[]
}

/** The same for a page that is written once: six digits are more than its reader can see. Places stay those of values. */
export function rounded(data: ChartData): ChartData {
  const short = (value: number): number => Number(value.toPrecision(6))
  const places = data.x.places?.map(({ at, text }) => ({ at: short(at), text }))
  const series = data.series.map(({ low, high, ...each }) => ({
    ...{ ...each, x: each.x.map(short), y: each.y.map(short) },
    ...(low === undefined || high === undefined ? {} : { low: low.map(short), high: high.map(short) }),
  }))
  return { ...data, x: { ...data.x, places }, series }
}

/** How values lie on an axis. */
export interface ValueScale {
  readonly type: 'linear' | 'log'
  readonly domain: readonly [number, number]
  readonly ticks: readonly Tick[]
  /** Shares are written in percent. */
  readonly unit?: 'percent'
  /** What a reader must know, such as that the first values lie above the axis. */
  readonly note?: string
}

/** From none to all; a little air lets a line at either be seen. */
export const shareScale: ValueScale = {
  type: 'linear',
  domain: [-0.015, 1.03],
  ticks: [0, 0.2, 0.4, 0.6, 0.8, 1].map((at) => ({ at, text: `${Math.round(100 * at)} %` })),
  unit: 'percent',
}

/** A logarithmic axis shows less than this as well as a linear one, and with odder numbers. */
const smallestRatio = 10
/** How far the bulk of the values may be squeezed by their first few before the axis is cut. */
const largestSqueeze = 12
/** Beyond this the length of an axis would not be a finite number. */
const largest = Number.MAX_VALUE / 8

/**
 * The scale for values that shall be seen: logarithmic if none is negative and they differ much, else linear. Zeros lie
 * on the lower edge of a logarithmic axis. `bulk` holds the values after the first few: if values may be negative
 * and the first dwarf the others, the axis is cut above the bulk.
 */
export function valueScale(values: readonly Float64Array[], bulk: readonly Float64Array[] = values): ValueScale {
  const { low, high, positive } = extent(values)
  if (low >= 0 && high / positive >= smallestRatio) return logScale(low, high, positive)
  const { high: usual } = extent(bulk)
  const cut = high - low > largestSqueeze * (usual - low) && usual > low
  const scale = evenScale(low, cut ? usual : high)
  return cut ? { ...scale, note: 'The axis is cut: the first values lie above it.' } : scale
}

/** The linear scale on which all values and 0 can be seen. */
export function zeroScale(values: readonly Float64Array[]): ValueScale {
  const { low, high } = extent([...values, Float64Array.of(0)])
  return evenScale(low, high)
}

function evenScale(low: number, high: number): ValueScale {
  const domain = padded(drawable(low), drawable(high))
  return { type: 'linear', domain, ticks: linearTicks(...domain, 5) }
}

function drawable(value: number): number {
  return Math.min(largest, Math.max(-largest, value))
}

function padded(low: number, high: number): readonly [number, number] {
  const pad = high > low ? Math.max((high - low) * 0.04, Math.abs(low) * 1e-9) : Math.abs(low) * 0.04 || 1
  return [low - pad, high + pad]
}

/** A value where it is drawn: what lies outside the axis is put on its edge. */
export function placed({ domain: [low, high] }: ValueScale, value: number): number {
  return Math.min(high, Math.max(low, value))
}

function logScale(low: number, high: number, positive: number): ValueScale {
  const [bottom, top] = [roundedDown(positive), roundedUp(high)]
  if (low > 0) return { type: 'log', domain: [bottom, top], ticks: logTicks(bottom, top) }
  const floor = Math.max(bottom / 4, Number.MIN_VALUE)
  const ticks = [{ at: floor, text: '0' }, ...logTicks(bottom, top)]
  return { type: 'log', domain: [floor, top], ticks, note: 'Zero lies on the lower edge.' }
}

function extent(values: readonly Float64Array[]): { low: number; high: number; positive: number } {
  let low = Infinity
  let high = -Infinity
  let positive = Infinity
  for (const column of values) {
    for (const value of column) {
      if (value < low) low = value
      if (value > high) high = value
      if (value > 0 && value < positive) positive = value
    }
  }
  return { low, high, positive }
}

/** Places on an axis and what stands beside them. */
export interface Tick {
  readonly at: number
  readonly text: string
}

/** Round numbers between two others, about as many as asked for; only the first if they are too close for any. */
export function linearTicks(low: number, high: number, about: number): Tick[] {
  const rough = (high - low) / about
  const exponent = Math.floor(Math.log10(rough))
  const multiple = [1, 2, 5].find((factor) => factor * tenTo(exponent) >= rough * 0.999) ?? 10
  const step = multiple * tenTo(exponent)
  const first = Math.ceil(low / step - 1e-9)
  if (!(step > 0) || !Number.isSafeInteger(first * 16)) return [{ at: low, text: powerText(low, exponent) }]
  // Counting in whole steps keeps sums of steps from drifting off the round numbers.
  const places = range(first, Math.floor(high / step + 1e-9)).map((i) => i * step)
  const largest = Math.max(...places.map(Math.abs))
  const unit = multiple === 10 ? exponent + 1 : exponent
  const text = largest >= 1e7 || unit < -4 ? powerText : tickText
  return places.map((at) => ({ at, text: text(at, unit, powerOf(largest)) }))
}

/** Powers of ten between two positive numbers; if these are few, 2 and 5 times them, too. */
export function logTicks(low: number, high: number): Tick[] {
  const first = Math.floor(Math.log10(low))
  const last = Math.ceil(Math.log10(high))
  const decades = Math.log10(high) - Math.log10(low)
  const every = Math.ceil(decades / 7) || 1
  const factors = decades > 2.2 ? [1] : [1, 2, 5]
  return range(first, last)
    .filter((exponent) => exponent % every === 0)
    .flatMap((exponent) => factors.map((factor) => ({ at: factor * tenTo(exponent), text: scaled(factor, exponent) })))
    .filter(({ at }) => at > 0 && at >= low * (1 - 1e-9) && at <= high * (1 + 1e-9))
}

/** The largest of 1, 2 or 5 times a power of ten that is not above a positive number; the number itself if there is none. */
export function roundedDown(value: number): number {
  const exponent = Math.floor(Math.log10(value))
  const below = [5, 2, 1].map((factor) => factor * tenTo(exponent)).find((at) => at <= value)
  return below === undefined || below === 0 ? value : below
}

/** The smallest of 1, 2 or 5 times a power of ten that is not below a positive number; the number itself if there is none. */
export function roundedUp(value: number): number {
  const exponent = Math.floor(Math.log10(value))
  const above = [1, 2, 5, 10].map((factor) => factor * tenTo(exponent)).find((at) => at >= value)
  return above === undefined || above === Infinity ? value : above
}

/** A power of ten, correctly rounded in every engine. */
function tenTo(exponent: number): number {
  return Number(`1e${exponent}`)
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i)
}

/** A tick whose last digit is that of its step. */
function tickText(at: number, unit: number): string {
  const text = Math.abs(at).toFixed(Math.max(0, -unit))
  const [whole = '', rest] = text.split('.')
  const grouped = whole.replace(/(?<=\d)(?=(\d{3})+$)/g, ',')
  return `${at < 0 ? '−' : ''}${grouped}${rest === undefined ? '' : `.${rest}`}`
}

/** A tick too large or too small to be written out, with a power of ten that all ticks of an axis share. */
function powerText(at: number, unit: number, power = powerOf(at)): string {
  if (at === 0) return '0'
  const mantissa = (Math.abs(at) / (tenTo(power) || Number.MIN_VALUE)).toFixed(within(power - unit, 0, 15))
  return `${at < 0 ? '−' : ''}${mantissa}${power === 0 ? '' : `·10${superscript(power)}`}`
}

/** The power of ten of the first digit of a number. */
function powerOf(value: number): number {
  return value === 0 ? 0 : Number(Math.abs(value).toExponential().split('e')[1])
}

function within(value: number, low: number, high: number): number {
  return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : low
}

function scaled(factor: number, exponent: number): string {
  if (exponent >= -3 && exponent <= 4) return tickText(factor * tenTo(exponent), exponent)
  return factor === 1 ? `10${superscript(exponent)}` : `${factor}·10${superscript(exponent)}`
}

function superscript(exponent: number): string {
  return [...String(exponent)].map((digit) => (digit === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)])).join('')
}

/** A value as an axis has it. */
export function axisText({ unit }: Pick<ChartAxis, 'unit'>, value: number): string {
  if (unit === 'percent') return percentText(value)
  return Number.isInteger(value) ? countText(value) : readableNumber(value)
}
