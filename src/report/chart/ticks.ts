/** Places on an axis and what stands beside them. */
export interface Tick {
  readonly at: number
  readonly text: string
}

/** Round numbers between two others, about as many as asked for; only the first where they are too close for any. */
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

/** Powers of ten between two positive numbers; where these are few, 2 and 5 times them, too. */
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

/** The largest of 1, 2 or 5 times a power of ten that is not above a positive number; the number itself where there is none. */
export function roundedDown(value: number): number {
  const exponent = Math.floor(Math.log10(value))
  const below = [5, 2, 1].map((factor) => factor * tenTo(exponent)).find((at) => at <= value)
  return below === undefined || below === 0 ? value : below
}

/** The smallest of 1, 2 or 5 times a power of ten that is not below a positive number; the number itself where there is none. */
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
  return `${at < 0 ? '−' : ''}${mantissa}·10${superscript(power)}`
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
