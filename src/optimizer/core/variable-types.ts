import type { ConvexSet, Queries } from './types.ts'

/** What a variable may be: a number, or one of its choices. */
export type Value = number | string | boolean

/** Values of other variables, by name, one or several each: a variable matters only if all of them are so. */
export type When = Readonly<Record<string, Value | readonly Value[]>>

/** A number: where it may lie, in its own units, and how it is searched. */
export interface RangeVariable {
  /** Its smallest value. */
  readonly from: number
  /** Its largest value. */
  readonly to: number
  /** It is from, from + step, ... or to: 1 for whole numbers. Any number between the ends if left out. */
  readonly step?: number | undefined
  /** `log` where factors matter rather than differences, as for rates and penalties; both ends are then above 0. */
  readonly scale?: 'linear' | 'log' | undefined
  /** When it matters; always if left out. */
  readonly when?: When | undefined
}

/** A number that is multiplied from one value to the next. */
export interface FactorVariable {
  /** Its smallest value. Above 0. */
  readonly from: number
  /** Its largest value. */
  readonly to: number
  /** It is from, from * factor, ... or to: 2 for powers of two. Above 1. */
  readonly factor: number
  /** When it matters; always if left out. */
  readonly when?: When | undefined
}

/** One of a few things that have no order; a switch is one of false and true. */
export interface ChoiceVariable {
  /** What it may be; a run begins with the first unless told otherwise. */
  readonly choices: readonly Value[]
  /** When it matters; always if left out. */
  readonly when?: When | undefined
}

/** A variable: what it may be, in its own units, and how it is searched. */
export type Variable = RangeVariable | FactorVariable | ChoiceVariable

/** Variables by name. A dot in a name makes a group: "sgd.rate" is `rate` in the object `sgd`. */
export type Variables = Readonly<Record<string, Variable>>

/** A point by the names of its variables, in their own units, without those that do not matter there. */
export interface NamedPoint {
  readonly [name: string]: Value | NamedPoint
}

/** The point that these variables make: typed by what each may be, with optional members for those that may not matter. */
export type PointOf<Of> = string extends keyof Of
  ? NamedPoint
  : Merged<
      {
        readonly [Head in HeadOf<keyof Of> as MayBeAbsent<Of, Head> extends true ? never : Head]: MemberOf<Of, Head>
      } & {
        readonly [Head in HeadOf<keyof Of> as MayBeAbsent<Of, Head> extends true ? Head : never]?: MemberOf<Of, Head>
      }
    >

type Merged<Of> = Of extends infer All ? { [key in keyof All]: All[key] } : never

/** The part of a name before its first dot. */
type HeadOf<Name> = Name extends `${infer Head}.${string}` ? Head : Name & string

/** The variables of a group. */
type GroupOf<Of, Head extends string> = {
  [Name in keyof Of as Name extends `${Head}.${infer Rest}` ? Rest : never]: Of[Name]
}

type MemberOf<Of, Head extends string> = Head extends keyof Of ? ValueOf<Of[Head]> : PointOf<GroupOf<Of, Head>>

type ValueOf<Of> = Of extends { readonly choices: readonly (infer Choice)[] } ? Choice : number

/** Whether a member is a variable with a condition, or a group of such. */
type MayBeAbsent<Of, Head extends string> = Head extends keyof Of
  ? Of[Head] extends { readonly when: object }
    ? true
    : false
  : Exclude<ConditionOf<GroupOf<Of, Head>>, true> extends never
    ? true
    : false

type ConditionOf<Of> = { [Name in keyof Of]: Of[Name] extends { readonly when: object } ? true : false }[keyof Of]

/**
 * Where a run begins: a list of numbers or, where variables have names, some of them by name; the others are in the middle,
 * and choices are the first.
 */
export type Start<Of = Variables> = ArrayLike<number> | SomeOf<PointOf<Of>>

type SomeOf<Of> = { readonly [name in keyof Of]?: Of[name] extends Value ? Of[name] : SomeOf<Of[name]> }

/**
 * Variables with names. A search works with one number for each: between 0 and 1, or the index of a step or of a choice.
 * Whoever is asked has own units, in lists with the index of a choice; whoever reads a result has names and values.
 */
export interface NamedVariables<Of = Variables> {
  readonly names: readonly string[]
  /** As they were declared: plain data. */
  readonly declared: Of
  /** Where the numbers of a search lie: told from that of other variables by its origin. */
  readonly set: ConvexSet
  /** A start in own units, in the middle or with the first choice where it says nothing; refuses what is outside. */
  ownStart(given: Start<Of> | undefined): Float64Array
  /** The same in the numbers of a search. */
  unitStart(given: Start<Of> | undefined): Float64Array
  /** A point of a search in own units, never beyond `from` and `to`. */
  ownPoint(unit: ArrayLike<number>): Float64Array
  /** The same queries in own units. */
  ownQueries(queries: Queries): Queries
  /** The values of a point in own units, in the order of the names; undefined for what does not matter there. */
  values(point: ArrayLike<number>): (Value | undefined)[]
  /** A point in own units by its names. */
  named(point: ArrayLike<number>): PointOf<Of>
  /** The same as JSON: whole numbers and choices as they are, other numbers as `float` writes them. */
  json(point: ArrayLike<number>, float: (value: number) => string): string
}
