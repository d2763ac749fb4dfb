import type { Input } from './option-type.ts'
import { anyNumber, oneOf, union } from './schema.ts'

/** What stands in JSON for numbers that it has no digits for. */
export const numberWords = ['NaN', 'Infinity', '-Infinity', '-0'] as const

/** A number in JSON: what JSON has no number for stands there as a word; `Number` reads both. */
export const numberJson = /* @__PURE__ */ union(anyNumber, oneOf(...numberWords))

/** As JSON, which cannot hold numbers that are not finite and would lose the sign of -0. */
export function encodeNumber(value: number): Input<typeof numberJson> {
  if (Object.is(value, -0)) return '-0'
  return Number.isFinite(value) ? value : (String(value) as 'NaN' | 'Infinity' | '-Infinity')
}
