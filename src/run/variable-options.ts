import type { NamedPoint, NamedVariables, Start, Variable } from '../core/named-variables.ts'
import type { RunOptions } from './run-options.ts'

/** Options of a run whose variables have names. */
export interface VariableOptions<Name extends string> extends Omit<RunOptions, 'variables' | 'set' | 'batched'> {
  /** The variables by name: bounds and scale of each. The function is called with an object of these names. */
  readonly variables: Readonly<Record<Name, Variable>> | NamedVariables<Name>
  /** Whether the objective takes a list of points: not this one. */
  readonly batched?: false | undefined
}

/** Options of a run whose variables have names, for a function that takes a list of points. */
export interface BatchedVariableOptions<Name extends string> extends Omit<VariableOptions<Name>, 'batched'> {
  /** Says that the objective takes a list of points and returns a list of numbers. */
  readonly batched: true
}

/** What a run found, with the best point by name. */
export type Named<Of, Name extends string> = Of extends unknown
  ? Omit<Of, 'variables'> & { readonly variables: NamedPoint<Name> }
  : never

/** What follows the function where variables have names: the options, behind a start if there is one. */
export type StartAndOptions<Name extends string, Options> = [options: Options] | [start: Start<Name>, options: Options]

/** The start and the options of a run. With named variables the start may be left out, and the options come second. */
export function startAndOptions(second: unknown, third: unknown): { start: Start | undefined; options: unknown } {
  const isOptions = typeof second === 'object' && second !== null && 'variables' in second
  if (third === undefined && isOptions) return { start: undefined, options: second }
  return { start: second as Start, options: third === undefined ? {} : third }
}
