import type { Tick } from './value-scale.ts'

/** One axis of a chart. */
export interface ChartAxis {
  readonly label: string
  readonly type: 'linear' | 'log'
  readonly domain: readonly [number, number]
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

/** A column of numbers for JSON: six digits are more than a reader can see. */
export function sixDigits(column: ArrayLike<number>): number[] {
  return Array.from(column, (value) => Number(value.toPrecision(6)))
}
