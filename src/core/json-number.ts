import { z } from 'zod'

/** A number in JSON: what JSON has no number for stands there as a word; `Number` reads both. */
export const numberJson = z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity', '-0'])])

/** As JSON, which has no word for numbers that are not finite and would lose the sign of -0. */
export function encodeNumber(value: number): z.input<typeof numberJson> {
  if (Object.is(value, -0)) return '-0'
  return Number.isFinite(value) ? value : (String(value) as 'NaN' | 'Infinity' | '-Infinity')
}
