import type { Kernels } from '../kernels/kernels.ts'
import type { Checkpoint } from './checkpoint.ts'
import { isNamedVariables, type NamedVariables } from './named-variables.ts'
import { choice, count, flag, imageDimensions, number, option, optional, positive, table } from './options.ts'
import { part } from './part.ts'
import { functionThat, oneOf, tested, union, wholeFrom } from './schema.ts'
import type { ConvexSet, Solver } from './types.ts'
import { unconstrained } from './unconstrained.ts'

/** What to do when a query fails: a throw, a time-out, or a value that is not a finite number. */
export const failurePolicies = ['stop', 'skip', 'worst'] as const

/** What a failed query does: the run stops, the query is left out, or it gets the worst value so far. */
export type FailurePolicy = (typeof failurePolicies)[number]

/** The limits of a run, shared by every way to start one. */
const budgetOptions = {
  maxQueries: optional(count('answers asked of the objective at most')),
  maxIterations: optional(wholeFrom(0), 'iterations at most'),
  maxTime: optional(positive('milliseconds for the whole run at most')),
  target: optional(number('stop as soon as a point has this value or a better one')),
}

/** Options of a session that do not concern the objective. */
export const sessionOptions = table({
  solver: part<Solver>('solver', 'begin', 'the method'),
  set: part<ConvexSet>('set', 'project', 'where points may lie', () => unconstrained),
  variables: optional(
    tested<NamedVariables>(isNamedVariables, 'must be made by namedVariables'),
    'variables with names, bounds and scales of their own, from namedVariables; not together with set',
  ),
  seed: option(wholeFrom(0), 'determines every random number of the run', 0),
  precision: choice(['float64', 'float32'], 'storage of points and state', 'float64'),
  ...budgetOptions,
  failures: choice(failurePolicies, 'what a failed query does', 'stop'),
  trackBest: flag('ask the current point in each iteration, also where the estimate does not need it', true),
  shape: optional(
    imageDimensions,
    'the size of the image whose pixels the variables are, channel by channel, for methods that look at it as one',
  ),
  population: optional(count('number of terms, for a finite sum')),
  historySize: count('records kept besides the latest; longer runs are thinned', 1000),
  resume: optional(
    tested<Checkpoint>((value) => typeof value === 'object' && value !== null, 'must be a checkpoint'),
    'continue from here',
  ),
  kernels: option(
    union(
      oneOf('fastest', 'scalar'),
      tested<Kernels>((value) => typeof value === 'object' && value !== null && 'perturb' in value, 'must be kernels'),
    ),
    'the implementation of the hot loops: WebAssembly where there is SIMD, or plain TypeScript',
    'fastest',
  ),
  clock: option(
    functionThat<() => number>('must be a function'),
    'a monotonic clock in milliseconds, for maxTime',
    () => () => performance.now(),
  ),
})

/** Used where neither queries, iterations nor time limit a run; a target alone may never be reached. */
export const defaultMaxQueries = 10_000
