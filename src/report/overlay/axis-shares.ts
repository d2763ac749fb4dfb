import type { ChartAxis, ChartData } from '../chart/chart-data.ts'
import { valueAt } from '../chart/curve.ts'
import type { Tick } from '../chart/value-scale.ts'

// Places on an axis are shares of it here, 0 at its start and 1 at its end: zoom is then the same on every kind of axis.

/** From where to where. */
export type Range = readonly [number, number]

/** Where a value lies on an axis. */
export function shareOf({ type, domain: [low, high] }: ChartAxis, value: number): number {
  const on = type === 'log' ? Math.log : Number
  return (on(value) - on(low)) / (on(high) - on(low))
}

/** The value at a place of an axis. */
export function valueOn({ type, domain: [low, high] }: ChartAxis, share: number): number {
  return type === 'log' ? low * Math.exp(share * Math.log(high / low)) : low + share * (high - low)
}

/** The part of y in which all values between two of x can be seen, with a little air. */
export function fitted({ y: values, series }: ChartData, [first, last]: Range): Range {
  const shares = series
    .flatMap(({ x, y, low = y, high = y }) =>
      [low, high].flatMap((column) => [
        valueAt({ x, y: column }, first),
        ...column.filter((_, i) => (x[i] as number) > first && (x[i] as number) <= last),
      ]),
    )
    .map((value) => shareOf(values, value))
    .filter((share) => share >= 0 && share <= 1)
  const [low, high] = [Math.min(...shares), Math.max(...shares)]
  const air = Math.max(0.02, (high - low) / 16)
  return low <= high ? [low - air, high + air] : [0, 1]
}

/** What stands beside a part of an axis: round numbers, and where that is long, powers of ten. */
export function ticksOf(axis: ChartAxis, [from, to]: Range): readonly Tick[] {
  if (to - from === 1) return axis.ticks
  const [low, high] = [valueOn(axis, from), valueOn(axis, to)]
  const places =
    axis.type === 'log' && high > 100 * low
      ? rounds(Math.log10(low), Math.log10(high)).map((power) => Number(`1e${Math.round(power)}`))
      : rounds(low, high)
  return [...new Set(places)].map((at) => ({ at, text: numberText(axis, at, 12) }))
}

function rounds(low: number, high: number): number[] {
  const rough = (high - low) / 5
  const unit = Number(`1e${Math.floor(Math.log10(rough))}`)
  const step = unit * (rough > 7 * unit ? 10 : rough > 3 * unit ? 5 : rough > 1.5 * unit ? 2 : 1)
  const first = Math.ceil(low / step)
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step)
}

/** A value as an axis has it. */
export function numberText({ unit }: ChartAxis, value: number, digits = 4): string {
  const number = Number((unit ? 100 * value : value).toPrecision(value % 1 ? digits : 12))
  const size = Math.abs(number)
  const isPlain = number === 0 || (size >= 1e-4 && size < 1e9)
  const text = isPlain ? number.toLocaleString('en', { maximumFractionDigits: 12 }) : number.toExponential()
  return unit ? `${text}\u00a0%` : text
}
