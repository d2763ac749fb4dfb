import * as z from 'zod/mini'
import { nearest, show, ZerothError } from './errors.ts'

/** The options of something, by name: a schema of zod or of zod/mini. */
export type OptionTable = z.core.$ZodObject & { readonly shape: z.core.$ZodShape }

/** Checks options against their schema and fills in defaults; what is wrong is said by name, value and limit. */
export function parseOptions<Schema extends OptionTable>(
  owner: string,
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ZerothError('invalid-option', `${owner} takes an options object, got ${show(given)}`)
  }
  const result = z.safeParse(strictOf(schema), given)
  if (result.success) return result.data as z.output<Schema>
  const issue = innermost(result.error.issues[0] as z.core.$ZodIssue)
  throw translate(owner, issue, schema, given)
}

/** Strict twins of schemas: making one anew costs milliseconds, because zod compiles it. */
const strictTwins = new WeakMap<OptionTable, z.core.$ZodObject>()

/** The schema that refuses unknown options. */
export function strictOf(schema: OptionTable): z.core.$ZodObject {
  const known = strictTwins.get(schema) ?? z.clone(schema, { ...schema._zod.def, catchall: z.never() })
  strictTwins.set(schema, known)
  return known
}

/** Of a union, the complaint of the one branch whose outer shape fits, if there is one: it knows best what was meant. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue
  const inside = issue.errors.map((branch) => branch[0]).find((each) => each !== undefined && each.path.length > 0)
  return inside === undefined ? issue : innermost({ ...inside, path: [...issue.path, ...inside.path] })
}

function translate(owner: string, issue: z.core.$ZodIssue, schema: OptionTable, given: object): ZerothError {
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
function knownAt(schema: OptionTable, path: readonly PropertyKey[]): string[] | undefined {
  let at: z.core.$ZodType | undefined = schema
  for (const key of path) at = shapeOf(at)?.[String(key)]
  const shape = shapeOf(at)
  return shape === undefined ? undefined : Object.keys(shape)
}

/** The options of an object, behind whatever makes it optional. */
function shapeOf(type: z.core.$ZodType | undefined): z.core.$ZodShape | undefined {
  const { def } = (type as z.core.$ZodTypes | undefined)?._zod ?? {}
  if (def?.type === 'optional' || def?.type === 'default' || def?.type === 'nullable') return shapeOf(def.innerType)
  return def?.type === 'object' ? def.shape : undefined
}

/** Whether an option may hold secrets: its metadata say so, and errors do not show what was given. */
function isSecret({ shape }: OptionTable, name: PropertyKey | undefined): boolean {
  const option = shape[String(name)]
  return option !== undefined && z.globalRegistry.get(option)?.secret === true
}

/** What a schema asks for and did not get. */
export function requirement(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `must not hold ${issue.keys.join(', ')}`
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
