import { didYouMean, show, ZerothError } from './errors.ts'
import { Complaint, type Output, type Table } from './option-type.ts'
import { unknownOption } from './schema.ts'

/** The options of a user's own part as another library declares them: whatever keeps to Standard Schema, as zod does. */
interface ForeignTable {
  readonly shape: object
  readonly '~standard': {
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined
    validate(value: unknown): unknown
  }
}

/** The options of something, by name. */
export type OptionTable = Table | ForeignTable

/** Checks options against their schema and fills in defaults; what is wrong is said by name, value and limit. */
export function parseOptions<Schema extends OptionTable>(
  owner: string,
  schema: Schema,
  given: unknown,
): Output<Schema> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ZerothError('invalid-option', `${owner} takes an options object, got ${show(given)}`)
  }
  const found = readOptions(schema, given)
  if (found instanceof Complaint) throw translate(owner, found, schema, given)
  return found as Output<Schema>
}

/** What is read from options, or the first thing that is wrong with them. */
function readOptions(schema: OptionTable, given: object): unknown {
  return 'read' in schema ? schema.read(given) : readForeign(schema, given)
}

interface ForeignResult {
  readonly value?: unknown
  readonly issues?: readonly { readonly message: string; readonly path?: readonly (PropertyKey | object)[] }[]
}

function readForeign(schema: ForeignTable, given: object): unknown {
  const { value, issues: [issue] = [] } = schema['~standard'].validate(given) as ForeignResult
  if (issue === undefined) return unknownOption(schema.shape, given) ?? value
  const path = (issue.path ?? []).map((at) => (typeof at === 'object' ? (at as { key: PropertyKey }).key : at))
  return new Complaint(`is not valid (${issue.message})`, path)
}

function translate(owner: string, { path, text, unknown }: Complaint, schema: OptionTable, given: object): ZerothError {
  const where = [owner, ...path].join('.')
  if (unknown !== undefined) {
    const hint = didYouMean(unknown.key, unknown.known)
    const list = `(known: ${unknown.known.join(', ') || 'none'})`
    return new ZerothError('unknown-option', `${where} has no option ${unknown.key}${hint} ${list}`)
  }
  const value = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], given)
  const secret = 'read' in schema && schema.shape[String(path[0])]?.secret === true
  const got = value !== undefined && secret ? `${article(typeof value)} that is not shown` : show(value)
  return new ZerothError('invalid-option', `${where} ${text}, got ${got}`)
}

/** What is expected, with its article. */
export function article(expected: string): string {
  return expected === 'directions' ? expected : `${/^[aeiou]/.test(expected) ? 'an' : 'a'} ${expected}`
}
