import { option, optional, positive, table } from '../../core/options.ts'
import { filledText, listOf, numberFrom, union } from '../../core/schema.ts'
import { numberOfText } from '../fraction.ts'
import { below, failAt, type Place, parseAt } from '../place.ts'
import { isObject, type Json, type JsonObject } from '../plain-data.ts'

const length = union(positive('a number'), option(filledText, 'a fraction, as in "8/255"'))
const share = union(numberFrom(0, 1), option(filledText, 'a fraction, as in "1/2"'))

/** What limits an attack and what is demanded of the model: numbers, fractions as texts, or lists of them. */
export const limitOptions = table({
  linf: optional(
    union(length, listOf(length, 1)),
    'largest change of a pixel, from 0 to 1, as in 8/255: that of the constrained problem; several (2/255,4/255,8/255) give robust accuracy against the limit',
  ),
  l2: optional(
    union(length, listOf(length, 1)),
    'largest length of the perturbation: that of the constrained problem; several as for linf',
  ),
  failUnder: optional(
    union(share, listOf(share, 1)),
    'least robust accuracy, as a fraction: below it the exit code is 3; of several limits that of the largest, or a list with one for each',
  ),
})

/** Norms in which a perturbation can be limited. */
const norms = ['linf', 'l2'] as const

/** Several limits of one norm, the smallest first. */
export interface SeveralLimits {
  readonly norm: (typeof norms)[number]
  readonly sizes: readonly number[]
}

/** The limits of a spec as numbers. */
export interface WrittenLimits {
  /** The spec with fractions as numbers, and the largest of several limits alone. */
  readonly spec: JsonObject
  /** Keys that hold lists in the resolved spec, in the order of the limits. */
  readonly lists: JsonObject
}

/** Reads the limits of an attack spec: fractions become numbers, several limits are put in order. */
export function writtenLimits(given: JsonObject, place: Place): WrittenLimits {
  const spec = withNumbers(given, place)
  const own = Object.entries(spec).filter(([key]) => Object.hasOwn(limitOptions.shape, key))
  parseAt(place, limitOptions, Object.fromEntries(own))
  const several = limitsOf(spec)
  const { failUnder } = spec
  const sizes = several?.sizes ?? []
  if (Array.isArray(failUnder) && failUnder.length !== Math.max(1, sizes.length)) {
    const limits = sizes.length > 1 ? `one number, or one for each of the ${sizes.length} limits` : 'one number'
    throw failAt(below(place, 'failUnder'), ` must be ${limits}, got ${failUnder.length}`)
  }
  if (several === undefined) return { spec: singles(spec), lists: {} }
  checkSeveral(spec, several, place)
  const order = sizes.map((_, i) => i).sort((a, b) => (sizes[a] as number) - (sizes[b] as number))
  const sorted = <T>(list: readonly T[]): T[] => order.map((i) => list[i] as T)
  const largest = sizes[order.at(-1) as number] as number
  const demanded = Array.isArray(failUnder) ? { failUnder: sorted(failUnder as readonly Json[]) } : {}
  return {
    spec: { ...spec, [several.norm]: largest },
    lists: { [several.norm]: sorted(sizes), ...demanded },
  }
}

/** The several limits of a spec; undefined where there is one at most. */
export function limitsOf(spec: JsonObject): SeveralLimits | undefined {
  const norm = norms.find((each) => Array.isArray(spec[each]) && (spec[each] as readonly Json[]).length > 1)
  return norm === undefined ? undefined : { norm, sizes: spec[norm] as readonly number[] }
}

/** Lists of one are that one. */
function singles(spec: JsonObject): JsonObject {
  const keys = Object.keys(limitOptions.shape).filter((key) => Array.isArray(spec[key]))
  return { ...spec, ...Object.fromEntries(keys.map((key) => [key, (spec[key] as readonly Json[])[0] as Json])) }
}

function checkSeveral(spec: JsonObject, { norm, sizes }: SeveralLimits, place: Place): void {
  const at = below(place, norm)
  const twice = sizes.find((size, i) => sizes.indexOf(size) !== i)
  if (twice !== undefined) throw failAt(at, ` must hold different limits, got ${twice} twice`)
  if (norm === 'linf' && Array.isArray(spec.l2)) {
    throw failAt(below(place, 'l2'), ' must be one limit where linf holds several: one norm at a time')
  }
  if (spec.universal === true) {
    throw failAt(at, ' must be one limit for a universal attack, whose perturbation all images share')
  }
}

/** The spec with texts that mean numbers as numbers: those of limits, here and in the problem. */
function withNumbers(spec: JsonObject, place: Place): JsonObject {
  const made: Record<string, Json | undefined> = { ...spec }
  for (const key of Object.keys(limitOptions.shape)) made[key] = numberAt(spec[key], below(place, key))
  if (isObject(spec.problem)) {
    const limits = norms.map((key) => [key, numberAt((spec.problem as JsonObject)[key], below(place, 'problem', key))])
    made.problem = { ...spec.problem, ...Object.fromEntries(limits.filter(([, value]) => value !== undefined)) }
  }
  return Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) as JsonObject
}

function numberAt(value: Json | undefined, place: Place): Json | undefined {
  if (Array.isArray(value)) return value.map((each: Json, i) => numberAt(each, below(place, i)) as Json)
  if (typeof value !== 'string') return value
  const number = numberOfText(value)
  if (typeof number === 'number') return number
  throw failAt(place, ` ${number.complaint}, got ${JSON.stringify(value)}`)
}
