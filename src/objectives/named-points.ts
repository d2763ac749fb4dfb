import { ZerothError } from '../core/errors.ts'
import { type NamedPoint, namedPoint } from '../core/named-variables.ts'
import type { Type } from '../core/option-type.ts'
import { optional } from '../core/options.ts'
import { filledText, listOf, that } from '../core/schema.ts'
import type { BatchContext, BatchFunction } from './batched.ts'
import type { PointFunction, QueryContext } from './function.ts'

/** A function of one point whose variables have names, in their own units. Each call gets an object of its own. */
export type NamedFunction<Name extends string = string> = (
  x: NamedPoint<Name>,
  context: QueryContext,
) => number | Promise<number>

/** A function of several points at once whose variables have names, with one number for each. */
export type NamedBatchFunction<Name extends string = string> = (
  points: readonly NamedPoint<Name>[],
  context: BatchContext,
) => ArrayLike<number> | Promise<ArrayLike<number>>

/** A function as one that is called with lists, whatever it is called with itself: names, where there are some. */
export function takingPoint(f: unknown, names: readonly string[] | undefined): PointFunction {
  if (names === undefined || typeof f !== 'function') return f as PointFunction
  return (x, context) => f(namedPoint(names, x), context)
}

/** The same for a batched function. */
export function takingPoints(f: unknown, names: readonly string[] | undefined): BatchFunction {
  if (names === undefined || typeof f !== 'function') return f as BatchFunction
  return (points, context) => {
    const named = points.map((x) => namedPoint(names, x))
    return f(named, context)
  }
}

/** The names of the variables, for objectives that can use them; in a spec those of its variables. */
export function namesOption(use: string): Type<string[] | undefined, readonly string[] | undefined> {
  const unique = that(
    listOf(filledText, 1),
    (names) => new Set(names).size === names.length,
    'must not hold a name twice',
  )
  return optional(unique, `names of the variables, one each; those of the spec's variables if left out there: ${use}`)
}

/** Refuses names that are too many or too few. */
export function checkNames(owner: string, names: readonly string[] | undefined, dim: number): void {
  if (names === undefined || names.length === dim) return
  throw new ZerothError(
    'invalid-option',
    `${owner}.names must hold ${dim} names, one per variable, got ${names.length}`,
  )
}
