import type { Tick } from './value-scale.ts'

/** One axis of a chart. */
export interface ChartAxis {
  readonly label: string
  readonly type: 'linear' | 'log'
  readonly domain: readonly [number, number]
  /** From where to where there is something, where the axis is only a part of that. */
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

/** The same for a page that is written once: six digits are more than its reader can see. */
export function rounded(data: ChartData): ChartData {
  const short = (column: readonly number[]): number[] => column.map((value) => Number(value.toPrecision(6)))
  const series = data.series.map(({ low, high, ...each }) => ({
    ...{ ...each, x: short(each.x), y: short(each.y) },
    ...(low === undefined || high === undefined ? {} : { low: short(low), high: short(high) }),
  }))
  return { ...data, series }
}
