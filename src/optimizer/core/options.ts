// What tables of options are written with. Each key says what the option takes and what it is when left out, its doc comment
// what it means: checks and types come from the table, help, docs and JSON Schema from both, by `npm run gen`. Every bundle holds
// this file; the marks let bundlers drop what is not used.
import { didYouMean, show, ZerothError } from './errors.ts'
import type { Schedule } from './types.ts'

/** What a type is made of, for those who read schemas. */
export type Description =
  | { readonly type: 'number'; readonly whole?: boolean; readonly limits: Limits }
  | { readonly type: 'text'; readonly filled?: boolean }
  | { readonly type: 'flag' | 'numbers' | 'json' | 'function' | 'foreign' }
  | { readonly type: 'words'; readonly words: readonly (string | number)[] }
  | { readonly type: 'list'; readonly of: Type; readonly least: number }
  | { readonly type: 'tuple'; readonly of: readonly Type[] }
  | { readonly type: 'record'; readonly of: Type }
  | { readonly type: 'table'; readonly shape: Shape }
  | { readonly type: 'union'; readonly of: readonly Type[] }
  | { readonly type: 'part'; readonly kind: string }

/** The limits of a number: `above` and `below` exclude themselves. */
export interface Limits {
  readonly least?: number
  readonly most?: number
  readonly above?: number
  readonly below?: number
}

/** What else programs must know of an option. What it means is the doc comment of its key: `npm run gen` reads it there. */
export interface Notes {
  /** Whether it holds a path; `folder` where the spec's own folder is meant when it is left out. */
  readonly path?: true | 'folder'
  /** Whether it may hold secrets: errors do not show what was given. */
  readonly secret?: true
  /** Whether it is the objective of a spec, which is made after everything else is known. */
  readonly blackBox?: true
}

/** A type of values; what is read from a value may differ from it, as a list of numbers that is copied does. */
export interface Type<out Output = unknown, out Input = unknown> extends Notes {
  readonly description: Description
  readonly optional?: boolean
  /** Returns the default. */
  readonly default?: () => unknown
  readonly read: (value: unknown) => Output | Issue
  /** For the compiler alone. */
  readonly types?: { readonly input: Input; readonly output: Output }
}

export type Shape = Readonly<Record<string, Type>>

/** What a program writes for a type, be it one of these or of a library that keeps to Standard Schema, as zod does. */
export type Input<Of> = Of extends {
  readonly '~standard': { readonly types?: { readonly input: infer In } | undefined }
}
  ? In
  : Of extends { readonly types?: { readonly input: infer In } }
    ? In
    : never

/** What is read from that. */
export type Output<Of> = Of extends {
  readonly '~standard': { readonly types?: { readonly output: infer Out } | undefined }
}
  ? Out
  : Of extends { readonly types?: { readonly output: infer Out } }
    ? Out
    : never

/** The options of something, by name; others are refused. */
export interface Table<Of extends Shape = Shape> extends Type<Fields<Of, 'output'>, Fields<Of, 'input'>> {
  readonly shape: Of
}

/**
 * The options of a table that others join, to be given a name: `export type Waits = ShapeOf<typeof waits>`. Declaration files keep
 * the doc comments of another file only if its types have names.
 */
export type ShapeOf<Of extends Table> = { [key in keyof Of['shape']]: Of['shape'][key] }

type Side = 'input' | 'output'
type On<Of, At extends Side> = At extends 'input' ? Input<Of> : Output<Of>
/** The fields of an object: what may be undefined may be left out. */
export type Fields<Of extends Shape, At extends Side> = {
  readonly [key in keyof Of as undefined extends On<Of[key], At> ? never : key]: On<Of[key], At>
} & {
  readonly [key in keyof Of as undefined extends On<Of[key], At> ? key : never]?: On<Of[key], At>
} extends infer All
  ? { [key in keyof All]: All[key] }
  : never

/** What is wrong with a value: what it must be, and where inside it. */
export class Issue {
  constructor(
    readonly text: string,
    readonly path: readonly PropertyKey[] = [],
    /** Whether the value is of the right type and breaks only a rule of it: then this type is what was meant. */
    readonly near = false,
    /** The unknown option, and the known ones. */
    readonly unknown?: { readonly key: string; readonly known: readonly string[] },
    /** What was probably meant instead. */
    readonly meant?: string,
  ) {}

  /** The same, seen from outside. */
  within(key: PropertyKey): Issue {
    return new Issue(this.text, [key, ...this.path], this.near, this.unknown, this.meant)
  }
}

function type<Out, In = Out>(description: Description, read: (value: unknown) => Out | Issue): Type<Out, In> {
  return { description, read }
}

function wrong(value: unknown, expected: string): Issue {
  return new Issue(value === undefined ? `is required (${expected})` : `must be ${expected}`)
}

/** Any value for which `test` holds. */
function only<T>(about: Description, test: (value: unknown) => boolean, expected: string): Type<T, T> {
  return type<T>(about, (value) => (test(value) ? (value as T) : wrong(value, expected)))
}

/** A finite number within limits. */
export function numberWithin(limits: Limits, whole = false): Type<number, number> {
  return type<number>({ type: 'number', whole, limits }, (value) => {
    if (typeof value !== 'number') return wrong(value, 'a number')
    if (!Number.isFinite(value)) return wrong(value, 'a finite number')
    if (whole && !Number.isInteger(value)) return wrong(value, 'a whole number')
    const { above, least, below, most = whole ? Number.MAX_SAFE_INTEGER : undefined } = limits
    const broken =
      (above !== undefined && !(value > above) && `above ${above}`) ||
      (least !== undefined && value < least && `at least ${least}`) ||
      (below !== undefined && !(value < below) && `below ${below}`) ||
      (most !== undefined && value > most && `at most ${most}`)
    return broken ? new Issue(`must be ${broken}`, [], true) : value
  })
}

/** A finite number. */
export const number = /* @__PURE__ */ numberWithin({})

/** A whole number from `least` to `most`. */
export function integerFrom(least: number, most?: number): Type<number, number> {
  return numberWithin(most === undefined ? { least } : { least, most }, true)
}

/** A whole number of at least one. */
export const count = /* @__PURE__ */ integerFrom(1)

/** A finite number from `least` to `most`. */
export function numberFrom(least: number, most?: number): Type<number, number> {
  return numberWithin(most === undefined ? { least } : { least, most })
}

/** A finite number above zero. */
export const positive = /* @__PURE__ */ numberWithin({ above: 0 })

/** True or false. */
export const flag = /* @__PURE__ */ only<boolean>({ type: 'flag' }, (value) => typeof value === 'boolean', 'a boolean')

/** A text, which may be empty. */
export const text = /* @__PURE__ */ only<string>({ type: 'text' }, (value) => typeof value === 'string', 'a string')

/** A text that is not empty. */
export const filledText = /* @__PURE__ */ notEmpty()

function notEmpty(): Type<string, string> {
  return { ...refine(text, (value) => value !== '', 'must not be empty'), description: { type: 'text', filled: true } }
}

/** A text of at most so many characters. */
export function textUpTo(most: number): Type<string, string> {
  return refine(text, (value) => value.length <= most, `must have at most ${most} characters`)
}

/** One of a few words or numbers. */
export function oneOf<const Word extends string | number>(...words: readonly Word[]): Type<Word, Word> {
  const expected = `must be one of ${words.map((word) => show(word)).join(', ')}`
  return type<Word>({ type: 'words', words }, (value) =>
    words.includes(value as Word) ? (value as Word) : new Issue(expected),
  )
}

/** Anything that passes a test that no file can: a function, or an object of a program. */
export function custom<T>(test: (value: unknown) => boolean, complaint: string): Type<T, T> {
  return type<T>({ type: 'foreign' }, (value) => (test(value) ? (value as T) : new Issue(complaint)))
}

/** A function; `complaint` says which. */
export function functionThat<T>(complaint: string): Type<T, T> {
  return { ...custom<T>((value) => typeof value === 'function', complaint), description: { type: 'function' } }
}

/** A type with a further rule. */
export function refine<Out, In>(
  of: Type<Out, In>,
  rule: (value: Out) => boolean,
  complaint: string,
  path: readonly PropertyKey[] = [],
): Type<Out, In> {
  const read = (value: unknown): Out | Issue => {
    const found = of.read(value)
    return found instanceof Issue || rule(found) ? found : new Issue(complaint, path, true)
  }
  return { ...of, read }
}

/** A type that guesses what a refused number was meant to be. */
export function guessing<Out, In>(of: Type<Out, In>, guess: (value: number) => string | undefined): Type<Out, In> {
  const read = (value: unknown): Out | Issue => {
    const found = of.read(value)
    const meant = found instanceof Issue && typeof value === 'number' ? guess(value) : undefined
    return meant === undefined ? found : new Issue((found as Issue).text, [], true, undefined, meant)
  }
  return { ...of, read }
}

/** A type whose values are kept as something else. */
export function mapped<Out, In, New>(of: Type<Out, In>, map: (value: Out) => New | Issue): Type<New, In> {
  const read = (value: unknown): New | Issue => {
    const found = of.read(value)
    return found instanceof Issue ? found : map(found)
  }
  return { ...of, read } as Type as Type<New, In>
}

/** What is read entry by entry, or the first complaint. */
function readAll<T>(values: readonly unknown[], read: (value: unknown, i: number) => T | Issue): T[] | Issue {
  const all: T[] = []
  for (const [i, value] of values.entries()) {
    const found = read(value, i)
    if (found instanceof Issue) return found.within(i)
    all.push(found)
  }
  return all
}

/** A list with entries of one type, at least so many. */
export function listOf<Of extends Type>(of: Of, least = 0): Type<Output<Of>[], readonly Input<Of>[]> {
  return type({ type: 'list', of, least }, (value) => {
    if (!Array.isArray(value)) return wrong(value, 'an array')
    if (value.length < least) return new Issue(`must hold at least ${least}`, [], true)
    return readAll(value, (each) => of.read(each) as Output<Of> | Issue)
  })
}

/** A list with an entry of each type. */
export function tuple<const Of extends readonly Type[]>(
  ...of: Of
): Type<{ -readonly [i in keyof Of]: Output<Of[i]> }, { -readonly [i in keyof Of]: Input<Of[i]> }> {
  return type({ type: 'tuple', of }, (value) => {
    if (!Array.isArray(value)) return wrong(value, 'a list')
    if (value.length !== of.length) return new Issue(`must hold ${of.length} entries`, [], true)
    return readAll(value, (each, i) => (of[i] as Type).read(each))
  }) as never
}

/** An object with any keys and values of one type. */
export function recordOf<Of extends Type>(of: Of): Type<Record<string, Output<Of>>, Record<string, Input<Of>>> {
  return type({ type: 'record', of }, (value) => {
    if (!isObject(value)) return wrong(value, 'a record')
    const all: [string, Output<Of>][] = []
    for (const [key, each] of Object.entries(value)) {
      const found = of.read(each) as Output<Of> | Issue
      if (found instanceof Issue) return found.within(key)
      all.push([key, found])
    }
    return Object.fromEntries(all)
  })
}

/** A value of any of several types: that of the first one that it fits. */
export function union<const Of extends readonly Type[]>(...of: Of): Type<Output<Of[number]>, Input<Of[number]>> {
  return type({ type: 'union', of }, (value) => {
    const complaints: Issue[] = []
    for (const each of of) {
      const found = each.read(value)
      if (!(found instanceof Issue)) return found as Output<Of[number]>
      complaints.push(found)
    }
    return meant(complaints)
  })
}

/** The complaint of the one type that was meant, if that can be told; else all of them. */
function meant(complaints: readonly Issue[]): Issue {
  const [near, ...more] = complaints.filter((each) => each.near)
  if (near !== undefined && more.length === 0) return near
  const inside = complaints.find((each) => each.path.length > 0)
  return inside ?? new Issue([...new Set(complaints.map((each) => each.text))].join(', or '))
}

/** A type, or null. */
export function nullable<Out, In>(of: Type<Out, In>): Type<Out | null, In | null> {
  return { ...of, read: (value) => (value === null ? null : of.read(value)) } as Type<Out | null, In | null>
}

/** Anything that JSON can write down. */
export const json = /* @__PURE__ */ only<Json>({ type: 'json' }, isJson, 'JSON')

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

function isJson(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isJson)
  if (typeof value === 'number') return Number.isFinite(value)
  if (isObject(value)) return Object.values(value).every(isJson)
  return value === null || typeof value === 'string' || typeof value === 'boolean'
}

/** The options of something, by name; the doc comment of each key says what it means. */
export function table<const Of extends Shape>(shape: Of): Table<Of> {
  const read = (given: unknown): Fields<Of, 'output'> | Issue => {
    if (!isObject(given)) return wrong(given, 'an object')
    const options: Record<string, unknown> = {}
    for (const [key, each] of Object.entries(shape)) {
      const value = given[key]
      const found = value === undefined && each.optional ? each.default?.() : each.read(value)
      if (found instanceof Issue) return found.within(key)
      if (found !== undefined || key in given) options[key] = found
    }
    return unknownOption(shape, given) ?? (options as Fields<Of, 'output'>)
  }
  return { description: { type: 'table', shape }, read, shape }
}

/** The complaint about an option that there is not. */
function unknownOption(shape: object, given: object): Issue | undefined {
  const key = Object.keys(given).find((each) => !Object.hasOwn(shape, each))
  if (key === undefined) return undefined
  return new Issue(`must not hold ${key}`, [], true, { key, known: Object.keys(shape) })
}

/** Whether a value is an object with keys. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Joined<A, B> = Omit<A, keyof B> & B

/** The options of several tables in one; an option that is in two of them is that of the later one. */
export function join<A extends Shape, B extends Shape>(a: Table<A>, b: Table<B>): Table<Joined<A, B>>
export function join<A extends Shape, B extends Shape, C extends Shape>(
  a: Table<A>,
  b: Table<B>,
  c: Table<C>,
): Table<Joined<Joined<A, B>, C>>
export function join(...tables: Table[]): Table {
  return table(Object.assign({}, ...tables.map(({ shape }) => shape)))
}

/** Some options of a table. */
export function pick<Of extends Shape, Key extends keyof Of & string>(
  { shape }: Table<Of>,
  ...keys: readonly Key[]
): Table<Pick<Of, Key>> {
  return table(Object.fromEntries(keys.map((key) => [key, shape[key] as Type]))) as never
}

/** All options of a table but some. */
export function omit<Of extends Shape, Key extends keyof Of & string>(
  { shape }: Table<Of>,
  ...keys: readonly Key[]
): Table<Omit<Of, Key>> {
  const kept = Object.keys(shape).filter((key) => !keys.includes(key as Key))
  return table(Object.fromEntries(kept.map((key) => [key, shape[key] as Type]))) as never
}

/** An option that may be left out; what is read is never undefined. */
type WithDefault<Of> = Type<Output<Of>, Input<Of> | undefined>

/** An option with a default: a value, or a function that makes it. */
export function withDefault<Of extends Type>(type: Of, standard: Output<Of> | (() => Output<Of>)): WithDefault<Of> {
  const make = typeof standard === 'function' ? standard : () => standard
  return { ...type, optional: true, default: make } as never
}

/** An option that may be left out and has no default. */
export function optional<Of extends Type>(type: Of): Type<Output<Of> | undefined, Input<Of> | undefined> {
  return { ...type, optional: true } as never
}

/** A type with what else programs must know of it. */
export function noted<Of extends Type>(type: Of, notes: Notes): Of {
  return { ...type, ...notes }
}

/** A list of numbers, some of which may be infinite: an array or a typed array, kept as a private float64 copy. */
export const numbers = /* @__PURE__ */ copiedNumbers()

function copiedNumbers(): Type<Float64Array, ArrayLike<number>> {
  const isList = (value: unknown): boolean => Array.isArray(value) || ArrayBuffer.isView(value)
  const copied = mapped(custom<ArrayLike<number>>(isList, 'must be a list of numbers'), (value) => {
    const copy = Float64Array.from(value, (each: unknown) => (typeof each === 'number' ? each : Number.NaN))
    const bad = copy.findIndex((each) => Number.isNaN(each))
    return bad < 0 ? copy : new Issue(`must hold numbers only (entry ${bad} is not one)`)
  })
  return { ...copied, description: { type: 'numbers' } }
}

/** A list of finite numbers. */
export const finiteList = /* @__PURE__ */ refine(
  numbers,
  (list) => list.every(Number.isFinite),
  'must hold finite numbers only',
)

/** The size of an image. */
export const imageDimensions = /* @__PURE__ */ table({ channels: count, height: count, width: count })

/** A number, that number with a decay (as a file writes it), or a function of the iteration. */
function scheduleOf(value: Type<number, number>) {
  return union(
    value,
    table({
      value,
      /** How it decays. Default 'none'. */
      decay: withDefault(oneOf('none', 'sqrt', 'linear'), 'none'),
    }),
    functionThat<Schedule>('must be a function of the iteration'),
  )
}

/** A number above zero, `{ value, decay }`, or a function of the iteration. */
export const schedule = /* @__PURE__ */ scheduleOf(positive)

/** A fraction from 0 to 1, or a schedule of them (momentum factors: 0 and 1 are both meaningful). */
export const fractionSchedule = /* @__PURE__ */ scheduleOf(numberFrom(0, 1))

/** A number, a number with a decay, or a function of the iteration: what learning rates and the like may be. */
export type ScheduleOption = Input<typeof schedule>

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
  if (found instanceof Issue) throw translate(owner, found, schema, given)
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
  return new Issue(`is not valid (${issue.message})`, path)
}

function translate(
  owner: string,
  { path, text, unknown, meant }: Issue,
  schema: OptionTable,
  given: object,
): ZerothError {
  const where = [owner, ...path].join('.')
  if (unknown !== undefined) {
    const hint = didYouMean(unknown.key, unknown.known)
    const list = `(known: ${unknown.known.join(', ') || 'none'})`
    return new ZerothError('unknown-option', `${where} has no option ${unknown.key}${hint} ${list}`)
  }
  const value = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], given)
  const secret = 'read' in schema && schema.shape[String(path[0])]?.secret === true
  const got = value !== undefined && secret ? `${article(typeof value)} that is not shown` : show(value)
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  return new ZerothError('invalid-option', `${where} ${text}, got ${got}${hint}`)
}

/** What is expected, with its article. */
export function article(expected: string): string {
  return expected === 'directions' ? expected : `${/^[aeiou]/.test(expected) ? 'an' : 'a'} ${expected}`
}
