// What options may be. Schemas are checked where options are given, and read by what makes help, docs, JSON Schema and specs
// of them. There is as much here as options need and no more, because it is part of every bundle; the marks let bundlers
// drop what is not used.
import { show } from './errors.ts'
import {
  type About,
  Complaint,
  type Fields,
  type Input,
  type Limits,
  type Output,
  type Shape,
  type Table,
  type Type,
} from './option-type.ts'

function type<Out, In = Out>(about: About, read: (value: unknown) => Out | Complaint): Type<Out, In> {
  return { about, read }
}

function wrong(value: unknown, expected: string): Complaint {
  return new Complaint(value === undefined ? `is required (${expected})` : `must be ${expected}`)
}

/** Any value for which `test` holds. */
function only<T>(about: About, test: (value: unknown) => boolean, expected: string): Type<T, T> {
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
    return broken ? new Complaint(`must be ${broken}`, [], true) : value
  })
}

/** Any finite number. */
export const anyNumber = /* @__PURE__ */ numberWithin({})

/** A whole number from `least` to `most`. */
export function wholeFrom(least: number, most?: number): Type<number, number> {
  return numberWithin(most === undefined ? { least } : { least, most }, true)
}

/** A finite number from `least` to `most`. */
export function numberFrom(least: number, most?: number): Type<number, number> {
  return numberWithin(most === undefined ? { least } : { least, most })
}

/** A finite number above zero. */
export const positiveNumber = /* @__PURE__ */ numberWithin({ above: 0 })

/** True or false. */
export const yesOrNo = /* @__PURE__ */ only<boolean>(
  { type: 'flag' },
  (value) => typeof value === 'boolean',
  'a boolean',
)

/** A text, which may be empty. */
export const text = /* @__PURE__ */ only<string>({ type: 'text' }, (value) => typeof value === 'string', 'a string')

/** A text that is not empty. */
export const filledText = /* @__PURE__ */ notEmpty()

function notEmpty(): Type<string, string> {
  return { ...that(text, (value) => value !== '', 'must not be empty'), about: { type: 'text', filled: true } }
}

/** One of a few words or numbers. */
export function oneOf<const Word extends string | number>(...words: readonly Word[]): Type<Word, Word> {
  const expected = `must be one of ${words.map((word) => show(word)).join(', ')}`
  return type<Word>({ type: 'words', words }, (value) =>
    words.includes(value as Word) ? (value as Word) : new Complaint(expected),
  )
}

/** Anything that passes a test that no file can: a function, or an object of a program. */
export function tested<T>(test: (value: unknown) => boolean, complaint: string): Type<T, T> {
  return type<T>({ type: 'foreign' }, (value) => (test(value) ? (value as T) : new Complaint(complaint)))
}

/** A function; `complaint` says which. */
export function functionThat<T>(complaint: string): Type<T, T> {
  return { ...tested<T>((value) => typeof value === 'function', complaint), about: { type: 'function' } }
}

/** A type with a further rule. */
export function that<Out, In>(
  of: Type<Out, In>,
  rule: (value: Out) => boolean,
  complaint: string,
  path: readonly PropertyKey[] = [],
): Type<Out, In> {
  const read = (value: unknown): Out | Complaint => {
    const found = of.read(value)
    return found instanceof Complaint || rule(found) ? found : new Complaint(complaint, path, true)
  }
  return { ...of, read }
}

/** A type whose values are kept as something else. */
export function mapped<Out, In, New>(of: Type<Out, In>, map: (value: Out) => New | Complaint): Type<New, In> {
  const read = (value: unknown): New | Complaint => {
    const found = of.read(value)
    return found instanceof Complaint ? found : map(found)
  }
  return { ...of, read } as Type as Type<New, In>
}

/** What is read entry by entry, or the first complaint. */
function readAll<T>(values: readonly unknown[], read: (value: unknown, i: number) => T | Complaint): T[] | Complaint {
  const all: T[] = []
  for (const [i, value] of values.entries()) {
    const found = read(value, i)
    if (found instanceof Complaint) return found.within(i)
    all.push(found)
  }
  return all
}

/** A list with entries of one type, at least so many. */
export function listOf<Of extends Type>(of: Of, least = 0): Type<Output<Of>[], readonly Input<Of>[]> {
  return type({ type: 'list', of, least }, (value) => {
    if (!Array.isArray(value)) return wrong(value, 'an array')
    if (value.length < least) return new Complaint(`must hold at least ${least}`, [], true)
    return readAll(value, (each) => of.read(each) as Output<Of> | Complaint)
  })
}

/** A list with an entry of each type. */
export function tuple<const Of extends readonly Type[]>(
  ...of: Of
): Type<{ -readonly [i in keyof Of]: Output<Of[i]> }, { -readonly [i in keyof Of]: Input<Of[i]> }> {
  return type({ type: 'tuple', of }, (value) => {
    if (!Array.isArray(value)) return wrong(value, 'a list')
    if (value.length !== of.length) return new Complaint(`must hold ${of.length} entries`, [], true)
    return readAll(value, (each, i) => (of[i] as Type).read(each))
  }) as never
}

/** An object with any keys and values of one type. */
export function recordOf<Of extends Type>(of: Of): Type<Record<string, Output<Of>>, Record<string, Input<Of>>> {
  return type({ type: 'record', of }, (value) => {
    if (!isObject(value)) return wrong(value, 'a record')
    const all: [string, Output<Of>][] = []
    for (const [key, each] of Object.entries(value)) {
      const found = of.read(each) as Output<Of> | Complaint
      if (found instanceof Complaint) return found.within(key)
      all.push([key, found])
    }
    return Object.fromEntries(all)
  })
}

/** A value of any of several types: that of the first one that it fits. */
export function union<const Of extends readonly Type[]>(...of: Of): Type<Output<Of[number]>, Input<Of[number]>> {
  return type({ type: 'union', of }, (value) => {
    const complaints: Complaint[] = []
    for (const each of of) {
      const found = each.read(value)
      if (!(found instanceof Complaint)) return found as Output<Of[number]>
      complaints.push(found)
    }
    return meant(complaints)
  })
}

/** The complaint of the one type that was meant, if that can be told; else all of them. */
function meant(complaints: readonly Complaint[]): Complaint {
  const [near, ...more] = complaints.filter((each) => each.near)
  if (near !== undefined && more.length === 0) return near
  const inside = complaints.find((each) => each.path.length > 0)
  return inside ?? new Complaint([...new Set(complaints.map((each) => each.text))].join(', or '))
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

/** The options of something, by name. */
export function table<const Of extends Shape>(shape: Of): Table<Of> {
  const read = (given: unknown): Fields<Of, 'output'> | Complaint => {
    if (!isObject(given)) return wrong(given, 'an object')
    const options: Record<string, unknown> = {}
    for (const [key, each] of Object.entries(shape)) {
      const value = given[key]
      const found = value === undefined && each.optional ? each.standard?.() : each.read(value)
      if (found instanceof Complaint) return found.within(key)
      if (found !== undefined || key in given) options[key] = found
    }
    return unknownOption(shape, given) ?? (options as Fields<Of, 'output'>)
  }
  return { about: { type: 'table', shape }, read, shape }
}

/** The complaint about an option that there is not. */
export function unknownOption(shape: object, given: object): Complaint | undefined {
  const key = Object.keys(given).find((each) => !Object.hasOwn(shape, each))
  if (key === undefined) return undefined
  return new Complaint(`must not hold ${key}`, [], true, { key, known: Object.keys(shape) })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
