/** A number as text: digits with a point and a power of ten, as JSON and JavaScript write it. */
const decimal = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?`
const pattern = new RegExp(String.raw`^\s*(${decimal})\s*(?:/\s*(${decimal})\s*)?$`, 'i')

/** What is wrong with a text that should be a number. */
export interface NoNumber {
  /** What it must be, to follow the name of the option or `It`. */
  readonly complaint: string
}

/** The number that a text means: `0.03`, or a fraction as `8/255`. */
export function numberOfText(text: string): number | NoNumber {
  const [, above, below = '1'] = pattern.exec(text) ?? []
  if (above === undefined) return { complaint: 'must be a number or a fraction, as in 8/255' }
  if (Number(below) === 0) return { complaint: 'must not divide by 0' }
  const value = Number(above) / Number(below)
  return Number.isFinite(value) ? value : { complaint: 'must be a finite number' }
}
