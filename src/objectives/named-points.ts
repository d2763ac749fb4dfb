import { type NamedPoint, namedPoint } from '../core/named-variables.ts'
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

/** A function of names as one of lists. */
export function takingPoint(f: NamedFunction, names: readonly string[]): PointFunction {
  return (x, context) => f(namedPoint(names, x), context)
}

/** A batched function of names as one of lists. */
export function takingPoints(f: NamedBatchFunction, names: readonly string[]): BatchFunction {
  return (points, context) =>
    f(
      points.map((x) => namedPoint(names, x)),
      context,
    )
}
