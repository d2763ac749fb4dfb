import type { Value } from '../../optimizer/core/variable-types.ts'

/** A number with all its digits, so that reading it back gives the same bits. */
export function exactNumber(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value)
}

/** A number with five significant digits, in exponents only if it is very small or large. */
export function readableNumber(value: number): string {
  if (!Number.isFinite(value) || value === 0) return exactNumber(value)
  const size = Math.abs(value)
  if (size >= 1e-3 && size < 1e7) return String(Number(value.toPrecision(size < 1e5 ? 5 : 7)))
  return value.toExponential(4).replace(/\.?0+e/, 'e')
}

/** The value of a variable: a choice as it is, a whole number with all its digits. */
export function variableValue(value: Value, text: (value: number) => string = readableNumber): string {
  if (typeof value !== 'number') return String(value)
  return Number.isSafeInteger(value) ? exactNumber(value) : text(value)
}

/** A count with its thousands set apart. */
export function countText(count: number): string {
  return Number.isFinite(count) ? String(count).replace(/(?<=^-?\d+)(?=(\d{3})+$)/g, ',') : '–'
}

/** A duration in seconds as its two largest units that say something; a unit ends where rounding would reach the next. */
export function secondsText(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–'
  if (seconds > 0 && seconds < 0.9995e-3) return `${Number((seconds * 1e6).toPrecision(3))} µs`
  if (seconds > 0 && seconds < 0.9995) return `${Number((seconds * 1000).toPrecision(3))} ms`
  if (seconds < 59.95) return `${Number(seconds.toPrecision(3))} s`
  const [size, unit, part, rest] = seconds < 3599.5 ? minutes : seconds < 86370 ? hours : days
  const parts = Math.round(seconds / part)
  return `${Math.floor(parts / (size / part))} ${unit} ${parts % (size / part)} ${rest}`
}

const minutes = [60, 'min', 1, 's'] as const
const hours = [3600, 'h', 60, 'min'] as const
const days = [86400, 'd', 3600, 'h'] as const

/** A fraction in percent. Never 0 % or 100 % unless exact. */
export function percentText(fraction: number): string {
  if (!Number.isFinite(fraction)) return '–'
  const text = (100 * fraction).toFixed(1).replace(/\.0$/, '')
  if (text === '100' && fraction < 1) return 'over 99.9\u00a0%'
  if (text === '0' && fraction > 0) return 'under 0.1\u00a0%'
  return `${text}\u00a0%`
}

/** A mean or median of counts: whole if it is large. */
export function effortText(value: number): string {
  if (!Number.isFinite(value)) return '–'
  return value >= 100 || Number.isInteger(value) ? countText(Math.round(value)) : exactNumber(Number(value.toFixed(1)))
}

/** A distance with four significant digits. */
export function distanceText(value: number): string {
  return Number.isFinite(value) ? readableNumber(Number(value.toPrecision(4))) : '–'
}

/** A count of things whose plural ends in s. */
export function counted(count: number, thing: string): string {
  return `${countText(count)} ${thing}${count === 1 ? '' : 's'}`
}

/** A count of queries. */
export function queriesText(count: number): string {
  return count === 1 ? '1 query' : `${countText(count)} queries`
}

/** From one fraction to another, in percent. */
export function intervalText([low, high]: readonly [number, number]): string {
  return `${percentText(low)} to ${percentText(high)}`
}

/** A number that may be missing, as files may have it. */
export type MaybeNumber = number | null | undefined

/** Whether a number is there and finite. */
export function isKnown(value: MaybeNumber): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** The first of some names, and how many more there are. */
export function someNames(names: readonly string[], most = 6): string {
  const rest = names.length > most ? ` and ${countText(names.length - most)} more` : ''
  return `${names.slice(0, most).join(', ')}${rest}`
}

/** A text cut in its middle, where the ends say more. */
export function shortened(text: string, length: number): string {
  const characters = [...text]
  if (characters.length <= length) return text
  const half = Math.floor((length - 1) / 2)
  return `${characters.slice(0, length - 1 - half).join('')}…${characters.slice(-half).join('')}`
}

export { limitText } from '../../optimizer/core/errors.ts'
