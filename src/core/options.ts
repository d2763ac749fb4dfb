// What the tables of options are written with: each entry says what the option takes, what it means and what it is when
// left out. Checks, types, help texts, JSON Schema and docs all come from there.
import { Complaint, type Input, type Notes, type Output, type Type } from './option-type.ts'
import {
  anyNumber,
  functionThat,
  listOf,
  mapped,
  numberFrom,
  oneOf,
  positiveNumber,
  table,
  tested,
  that,
  union,
  wholeFrom,
  yesOrNo,
} from './schema.ts'
import type { Schedule } from './types.ts'

export { table } from './schema.ts'

/** An option that may be left out; what is read is never undefined. */
type Standing<Of> = Type<Output<Of>, Input<Of> | undefined>

/** What an option is when left out, or a function that makes it. */
type Standard<Of> = Output<Of> | (() => Output<Of>)

/** An option of any type: what it means and, unless it must be given, its default. */
export function option<Of extends Type>(type: Of, sentence: string): Of
export function option<Of extends Type>(type: Of, sentence: string, standard: Standard<Of>): Standing<Of>
export function option(type: Type, sentence: string, standard?: unknown): Type {
  if (standard === undefined) return { ...type, sentence }
  const make = typeof standard === 'function' ? (standard as () => unknown) : () => standard
  return { ...type, sentence, optional: true, standard: make }
}

/** An option with a default whose sentence is written elsewhere. */
export function standing<Of extends Type>(type: Of, standard: () => Output<Of>): Standing<Of> {
  return { ...type, optional: true, standard } as never
}

/** An option that may be left out and has no default: one that says what it means, or a type and its sentence. */
export function optional<Of extends Type>(
  type: Of,
  sentence = type.sentence,
): Type<Output<Of> | undefined, Input<Of> | undefined> {
  return { ...noted(type, sentence === undefined ? {} : { sentence }), optional: true } as never
}

/** A type with what else programs must know of it. */
export function noted<Of extends Type>(type: Of, notes: Notes): Of {
  return { ...type, ...notes }
}

/** A list of numbers, as an array or a typed array, kept as a private float64 copy. */
export const numberList = /* @__PURE__ */ copiedNumbers()

function copiedNumbers(): Type<Float64Array, ArrayLike<number>> {
  const isList = (value: unknown): boolean => Array.isArray(value) || ArrayBuffer.isView(value)
  const copied = mapped(tested<ArrayLike<number>>(isList, 'must be a list of numbers'), (value) => {
    const copy = Float64Array.from(value, (each: unknown) => (typeof each === 'number' ? each : Number.NaN))
    const bad = copy.findIndex((each) => Number.isNaN(each))
    return bad < 0 ? copy : new Complaint(`must hold numbers only (entry ${bad} is not one)`)
  })
  return { ...copied, about: { type: 'numbers' } }
}

/** A list of finite numbers. */
export const finiteList = /* @__PURE__ */ that(
  numberList,
  (list) => list.every(Number.isFinite),
  'must hold finite numbers only',
)

/** The size of an image. */
export const imageDimensions = table({ channels: wholeFrom(1), height: wholeFrom(1), width: wholeFrom(1) })

/** A number, that number with a decay (as a file writes it), or a function of the iteration. */
function scheduleOf(value: Type<number, number>) {
  return union(
    value,
    table({ value, decay: option(oneOf('none', 'sqrt', 'linear'), 'how it decays', 'none') }),
    functionThat<Schedule>('must be a function of the iteration'),
  )
}

/** Numbers above zero that may depend on the iteration. */
export const positiveSchedule = /* @__PURE__ */ scheduleOf(positiveNumber)

/** A number, a number with a decay, or a function of the iteration: what learning rates and the like may be. */
export type ScheduleOption = Input<typeof positiveSchedule>

/** A whole number of at least one. */
export const count = /* @__PURE__ */ declarer(wholeFrom(1))

/** A finite number. */
export const number = /* @__PURE__ */ declarer(anyNumber)

/** A finite number above zero. */
export const positive = /* @__PURE__ */ declarer(positiveNumber)

/** Yes or no. */
export const flag = /* @__PURE__ */ declarer(yesOrNo)

/** A list of numbers, some of which may be infinite. */
export const numbers = /* @__PURE__ */ declarer(numberList)

/** A number above zero, `{ value, decay }`, or a function of the iteration. */
export const schedule = /* @__PURE__ */ declarer(positiveSchedule)

/** A fraction from 0 to 1, or a schedule of them (momentum factors: 0 and 1 are both meaningful). */
export const fractionSchedule = /* @__PURE__ */ declarer(scheduleOf(numberFrom(0, 1)))

/** One of a few words. */
export function choice<const Word extends string>(words: readonly Word[], sentence: string): Type<Word, Word>
export function choice<const Word extends string>(
  words: readonly Word[],
  sentence: string,
  standard: NoInfer<Word>,
): Type<Word, Word | undefined>
export function choice(words: readonly string[], sentence: string, standard?: string): Type {
  return standard === undefined ? option(oneOf(...words), sentence) : option(oneOf(...words), sentence, standard)
}

/** A list of one or more. */
export function list<Of extends Type>(of: Of, sentence: string): Type<Output<Of>[], readonly Input<Of>[]> {
  return option(listOf(of, 1), sentence)
}

/** Declares an option by its sentence and, unless it must be given, its default. */
interface Declare<Of> {
  (sentence: string): Of
  (sentence: string, standard: Standard<Of>): Standing<Of>
}

function declarer<Of extends Type>(type: Of): Declare<Of> {
  return (sentence: string, standard?: Standard<Of>) =>
    (standard === undefined ? option(type, sentence) : option(type, sentence, standard)) as never
}
