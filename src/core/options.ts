import { z } from 'zod'
import { nearest, show, ZerothError } from './errors.ts'
import type { Schedule } from './types.ts'

/** Checks options against their schema and fills in defaults; what is wrong is said by name, value and limit. */
export function parseOptions<Schema extends z.ZodObject>(
  owner: string,
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ZerothError('invalid-option', `${owner} takes an options object, got ${show(given)}`)
  }
  const result = strictOf(schema).safeParse(given)
  if (result.success) return result.data as z.output<Schema>
  const issue = innermost(result.error.issues[0] as z.core.$ZodIssue)
  throw translate(owner, issue, schema, given)
}

/** Strict twins of schemas: making one anew costs milliseconds, because zod compiles it. */
const strictTwins = new WeakMap<z.ZodObject, z.ZodObject>()

/** The schema that refuses unknown options. */
export function strictOf(schema: z.ZodObject): z.ZodObject {
  const known = strictTwins.get(schema) ?? schema.strict()
  strictTwins.set(schema, known)
  return known
}

/** Of a union, the complaint of the one branch whose outer shape fits, if there is one: it knows best what was meant. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue
  const inside = issue.errors.map((branch) => branch[0]).find((each) => each !== undefined && each.path.length > 0)
  return inside === undefined ? issue : innermost({ ...inside, path: [...issue.path, ...inside.path] })
}

function translate(owner: string, issue: z.core.$ZodIssue, schema: z.ZodObject, given: object): ZerothError {
  if (issue.code === 'unrecognized_keys') {
    const known = knownAt(schema, issue.path)
    const key = issue.keys[0] as string
    const suggestion = nearest(key, known ?? [])
    const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
    const list = known === undefined ? '' : ` (known: ${known.join(', ') || 'none'})`
    return new ZerothError('unknown-option', `${[owner, ...issue.path].join('.')} has no option ${key}${hint}${list}`)
  }
  const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], given)
  const where = [owner, ...issue.path].join('.')
  const got =
    value !== undefined && isSecret(schema, issue.path[0]) ? `${article(typeof value)} that is not shown` : show(value)
  return new ZerothError('invalid-option', `${where} ${requirement(issue, value)}, got ${got}`)
}

/** The names of the options at a place inside an option, where that is an object. */
function knownAt(schema: z.ZodObject, path: readonly PropertyKey[]): string[] | undefined {
  let at: z.ZodType | undefined = schema
  for (const key of path) at = shapeOf(at)?.[String(key)]
  const shape = shapeOf(at)
  return shape === undefined ? undefined : Object.keys(shape)
}

/** The options of an object, behind whatever makes it optional. */
function shapeOf(type: z.ZodType | undefined): Record<string, z.ZodType> | undefined {
  let inner = type
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodNullable) {
    inner = inner.unwrap() as z.ZodType
  }
  return inner instanceof z.ZodObject ? (inner.shape as Record<string, z.ZodType>) : undefined
}

/** Whether an option may hold secrets: its metadata say so, and errors do not show what was given. */
function isSecret(schema: z.ZodObject, option: PropertyKey | undefined): boolean {
  return option !== undefined && (schema.shape[String(option)] as z.ZodType | undefined)?.meta()?.secret === true
}

function requirement(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case 'too_small':
      if (issue.origin === 'array') return `must hold at least ${issue.minimum}`
      return issue.inclusive ? `must be at least ${issue.minimum}` : `must be above ${issue.minimum}`
    case 'too_big':
      return issue.inclusive ? `must be at most ${issue.maximum}` : `must be below ${issue.maximum}`
    case 'invalid_type':
      if (value === undefined) return `is required (${article(issue.expected)})`
      return `must be ${typeof value === 'number' && issue.expected === 'number' ? 'a finite number' : article(issue.expected)}`
    case 'invalid_value':
      return `must be one of ${issue.values.map((allowed) => show(allowed)).join(', ')}`
    case 'invalid_union': {
      const messages = issue.errors.flat().map((each) => requirement(each, value))
      return [...new Set(messages)].join(', or ')
    }
    default:
      return issue.message
  }
}

/** What is expected, with its article. */
export function article(expected: string): string {
  if (expected === 'int') return 'a whole number'
  if (expected === 'tuple') return 'a list'
  if (expected === 'directions') return expected
  return `${/^[aeiou]/.test(expected) ? 'an' : 'a'} ${expected}`
}

/** A count: a whole number of at least one. */
export const countOption = z.int().min(1)

/** A finite number above zero. */
export const positiveOption = z.number().positive()

/** A list of finite numbers, as an array or a typed array, kept as a private float64 copy. */
export const numbersOption = z
  .custom<ArrayLike<number>>((value) => Array.isArray(value) || ArrayBuffer.isView(value), {
    error: 'must be a list of numbers',
  })
  .meta({ numbers: true })
  .transform((value, context): Float64Array => {
    const copy = Float64Array.from(value, (each: unknown) => (typeof each === 'number' ? each : Number.NaN))
    const bad = copy.findIndex((each) => Number.isNaN(each))
    if (bad >= 0) context.addIssue({ code: 'custom', message: `must hold numbers only (entry ${bad} is not one)` })
    return copy
  })

/** The form in which a schedule can be written into a file. */
function decayOption(value: z.ZodNumber) {
  return z.strictObject({ value, decay: z.enum(['none', 'sqrt', 'linear']).default('none') })
}

/** A number, `{ value, decay }`, or a function of the iteration. */
export const scheduleOption = z.union([
  positiveOption,
  decayOption(positiveOption),
  z.custom<Schedule>((value) => typeof value === 'function', { error: 'must be a function of the iteration' }),
])

export type ScheduleOption = z.input<typeof scheduleOption>

const fraction = z.number().min(0).max(1)

/** A fraction from 0 to 1, or a schedule of them (momentum factors: 0 and 1 are both meaningful). */
export const fractionScheduleOption = z.union([
  fraction,
  decayOption(fraction),
  z.custom<Schedule>((value) => typeof value === 'function', { error: 'must be a function of the iteration' }),
])
