import { linearTicks, logTicks, roundedDown, roundedUp, type Tick } from './ticks.ts'

/** How values lie on an axis. */
export interface ValueScale {
  readonly type: 'linear' | 'log'
  readonly domain: readonly [number, number]
  readonly ticks: readonly Tick[]
  /** What a reader must know, such as that the first values lie above the axis. */
  readonly note?: string
}

/** A logarithmic axis shows less than this as well as a linear one, and with odder numbers. */
const smallestRatio = 10
/** How far the bulk of the values may be squeezed by their first few before the axis is cut. */
const largestSqueeze = 12
/** Beyond this the length of an axis would not be a finite number. */
const largest = Number.MAX_VALUE / 8

/**
 * The scale for values that shall be seen: logarithmic where none is negative and they differ much, else linear. Zeros lie
 * on the lower edge of a logarithmic axis. `bulk` holds the values after the first few: where values may be negative
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
