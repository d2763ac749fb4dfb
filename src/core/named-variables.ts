import type { ConvexSet, Queries } from './types.ts'

/** A variable: where it may lie, in its own units, and how it is searched. */
export interface Variable {
  /** Its smallest value. */
  readonly from: number
  /** Its largest value. */
  readonly to: number
  /** `log` where factors matter rather than differences, as for rates and penalties; both ends are then above 0. */
  readonly scale?: 'linear' | 'log' | undefined
}

/** A point by the names of its variables, in their own units. */
export type NamedPoint<Name extends string = string> = { readonly [name in Name]: number }

/** Where a run begins: a list of numbers or, where variables have names, some of them by name; the rest in the middle. */
export type Start<Name extends string = string> = ArrayLike<number> | Partial<NamedPoint<Name>>

/**
 * Variables with names, bounds and scales. A search works in the unit box, where all variables have the same range; whoever
 * is asked, and whoever reads a result, gets own units.
 */
export interface NamedVariables<Name extends string = string> {
  readonly names: readonly Name[]
  /** The unit box, told from that of other variables by its origin. */
  readonly set: ConvexSet
  /** A start in own units, in the scaled middle of what is left out; refuses what is outside. */
  ownStart(given: Start | undefined): Float64Array
  /** The same in the unit box. */
  unitStart(given: Start | undefined): Float64Array
  /** A point of the unit box in own units, never beyond `from` and `to`. */
  ownPoint(unit: ArrayLike<number>): Float64Array
  /** The same queries in own units. */
  ownQueries(queries: Queries): Queries
  /** A point in own units by its names. */
  named(point: ArrayLike<number>): NamedPoint<Name>
}

/** Whether variables have been made already. */
export function isNamedVariables(value: unknown): value is NamedVariables {
  return typeof (value as NamedVariables | null | undefined)?.ownQueries === 'function'
}

/** A point by its names. */
export function namedPoint<Name extends string>(names: readonly Name[], point: ArrayLike<number>): NamedPoint<Name> {
  return Object.fromEntries(names.map((name, i) => [name, point[i]])) as NamedPoint<Name>
}
