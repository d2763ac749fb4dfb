// What the tables of options are written with: each entry says what the option takes, what it means and what it is when
// left out. Checks, types, help texts, JSON Schema and docs all come from there.
import * as z from 'zod/mini'
import type { Schedule } from './types.ts'

type Type = z.core.$ZodType
type Notes = Readonly<Record<string, unknown>>

/** What an option is when left out, or a function that makes it. */
type Standard<Of extends Type> = NonNullable<z.output<Of>> | (() => NonNullable<z.output<Of>>)

/** Declares an option by its sentence and, unless it must be given, its default. */
interface Declare<Of extends Type> {
  (sentence: string): Of
  (sentence: string, standard: Standard<Of>): z.ZodMiniDefault<Of>
}

/** The options of a part, by name. */
export function table<Shape extends z.core.$ZodShape>(options: Shape): z.ZodMiniObject<Shape, z.core.$strip> {
  return z.object(options)
}

/** An option of any type: what it means and, unless it must be given, its default. */
export function option<Of extends Type>(type: Of, sentence: string): Of
export function option<Of extends Type>(type: Of, sentence: string, standard: Standard<Of>): z.ZodMiniDefault<Of>
export function option(type: Type, description: string, standard?: Standard<Type>): Type {
  // A copy, because the same type may be that of other options, which mean something else.
  return note(standard === undefined ? z.clone(type) : z._default(type, standard), { description })
}

/** An option that may be left out and has no default: one that says what it means, or a type and its sentence. */
export function optional<Of extends Type>(type: Of, sentence?: string): z.ZodMiniOptional<Of> {
  return note(z.optional(type), { description: sentence ?? sentenceOf(type) })
}

/** What an option means, in the sentence that its table gives it. */
export function sentenceOf(type: Type): string | undefined {
  return z.globalRegistry.get(type)?.description
}

/** A type with what else programs must know of it: that it takes a part, holds a path, or is secret. */
export function noted<Of extends Type>(type: Of, notes: Notes): Of {
  return note(z.clone(type), notes)
}

function note<Of extends Type>(type: Of, notes: Notes): Of {
  z.globalRegistry.add(type, { ...z.globalRegistry.get(type), ...notes })
  return type
}

/** A whole number, within limits. */
export function wholeFrom(least: number, most?: number) {
  const whole = z.int().check(z.gte(least))
  return most === undefined ? whole : whole.check(z.lte(most))
}

/** A finite number, within limits. */
export function numberFrom(least: number, most?: number) {
  const number = z.number().check(z.gte(least))
  return most === undefined ? number : number.check(z.lte(most))
}

/** A finite number above zero. */
export const positiveNumber = z.number().check(z.positive())

/** Anything that passes a test; `complaint` says what it must be. */
export function tested<T>(test: (value: unknown) => boolean, complaint: string): z.ZodMiniCustom<T, T> {
  return z.custom<T>(test, { error: complaint })
}

/** A function; `complaint` says which. */
export function functionThat<T>(complaint: string): z.ZodMiniCustom<T, T> {
  return tested<T>((value) => typeof value === 'function', complaint)
}

/** A list of numbers, as an array or a typed array, kept as a private float64 copy. */
export const numberList = z.pipe(
  noted(
    tested<ArrayLike<number>>(
      (value) => Array.isArray(value) || ArrayBuffer.isView(value),
      'must be a list of numbers',
    ),
    { numbers: true },
  ),
  z.transform((value: ArrayLike<number>, context): Float64Array => {
    const copy = Float64Array.from(value, (each: unknown) => (typeof each === 'number' ? each : Number.NaN))
    const bad = copy.findIndex((each) => Number.isNaN(each))
    const message = `must hold numbers only (entry ${bad} is not one)`
    if (bad >= 0) context.issues.push({ code: 'custom', message, input: value })
    return copy
  }),
)

/** A list of finite numbers. */
export const finiteList = numberList.check(
  z.refine((list) => list.every(Number.isFinite), { error: 'must hold finite numbers only' }),
)

/** The size of an image. */
export const imageDimensions = z.strictObject({ channels: wholeFrom(1), height: wholeFrom(1), width: wholeFrom(1) })

/** A number, that number with a decay (as a file writes it), or a function of the iteration. */
function scheduleFrom<Of extends z.ZodMiniNumber>(value: Of) {
  return z.union([
    value,
    z.strictObject({ value, decay: z._default(z.enum(['none', 'sqrt', 'linear']), 'none') }),
    functionThat<Schedule>('must be a function of the iteration'),
  ])
}

/** Numbers above zero that may depend on the iteration. */
export const positiveSchedule = scheduleFrom(positiveNumber)

export type ScheduleOption = z.input<typeof positiveSchedule>

/** A whole number of at least one. */
export const count = declarer(wholeFrom(1))

/** A finite number. */
export const number = declarer(z.number())

/** A finite number above zero. */
export const positive = declarer(positiveNumber)

/** Yes or no. */
export const flag = declarer(z.boolean())

/** A list of finite or infinite numbers. */
export const numbers = declarer(numberList)

/** A number above zero, `{ value, decay }`, or a function of the iteration. */
export const schedule = declarer(positiveSchedule)

/** A fraction from 0 to 1, or a schedule of them (momentum factors: 0 and 1 are both meaningful). */
export const fractionSchedule = declarer(scheduleFrom(numberFrom(0, 1)))

/** One of a few words. */
export function choice<const Words extends readonly string[]>(
  words: Words,
  sentence: string,
): z.ZodMiniEnum<z.core.util.ToEnum<Words[number]>>
export function choice<const Words extends readonly string[]>(
  words: Words,
  sentence: string,
  standard: Words[number],
): z.ZodMiniDefault<z.ZodMiniEnum<z.core.util.ToEnum<Words[number]>>>
export function choice(words: readonly string[], sentence: string, standard?: string): Type {
  return standard === undefined ? option(z.enum(words), sentence) : option(z.enum(words), sentence, standard)
}

/** A list of one or more. */
export function list<Of extends Type>(of: Of, sentence: string): z.ZodMiniArray<Of> {
  return option(z.array(of).check(z.minLength(1)), sentence)
}

function declarer<Of extends Type>(type: Of): Declare<Of> {
  return (sentence: string, standard?: Standard<Of>) =>
    (standard === undefined ? option(type, sentence) : option(type, sentence, standard)) as never
}
