import type { Kernels } from '../kernels/kernels.ts'
import {
  count,
  custom,
  flag,
  functionThat,
  type Input,
  imageDimensions,
  integerFrom,
  number,
  oneOf,
  optional,
  positive,
  type ShapeOf,
  type Table,
  table,
  union,
  withDefault,
} from './options.ts'
import { part } from './part.ts'
import { isNamedVariables } from './space.ts'
import type { AttackFacts, Checkpoint, ConvexSet, Solver } from './types.ts'
import type { NamedVariables } from './variable-types.ts'

/** What to do when a query fails: a throw, a time-out, or a value that is not a finite number. */
export const failurePolicies = ['avoid', 'stop', 'skip', 'worst'] as const

/**
 * What a failed query does: the run goes on without it unless it was the start, the objective could not be reached, or 100 failed
 * in a row; the run stops; it goes on in any case; or the query gets the worst value so far.
 */
export type FailurePolicy = (typeof failurePolicies)[number]

const declared = table({
  /** The method. */
  solver: part<Solver>('solver', 'start'),
  /** Where points may lie. Default wholeSpace(). */
  set: withDefault(part<ConvexSet>('set', 'project'), () => unconstrained),
  /** Variables with names, bounds and scales of their own, from namedVariables; not together with set. */
  variables: optional(custom<NamedVariables>(isNamedVariables, 'must be made by namedVariables')),
  /** Determines every random number of the run. At least 0; default 0. */
  seed: withDefault(integerFrom(0), 0),
  /** Storage of points and state. Default 'float64'. */
  precision: withDefault(oneOf('float64', 'float32'), 'float64'),
  /** Answers asked of the objective at most. At least 1. */
  maxQueries: optional(count),
  /** Iterations at most. At least 0. */
  maxIterations: optional(integerFrom(0)),
  /** Milliseconds for the whole run at most. Above 0. */
  maxTime: optional(positive),
  /** Stop as soon as a point has this value or a better one. */
  target: optional(number),
  /** Stop after this many queries in a row without a lower best value. At least 1. */
  patience: optional(count),
  /** What a failed query does; under avoid the run keeps away from its point, but a start that fails ends it. Default 'avoid'. */
  failures: withDefault(oneOf(...failurePolicies), 'avoid'),
  /** Ask the current point in each iteration, also where the estimate does not need it. Default true. */
  trackBest: withDefault(flag, true),
  /** The size of the image whose pixels the variables are, channel by channel, for methods that look at it as one. */
  shape: optional(imageDimensions),
  /** What is known of the attack that the run is: its limits, whether it is targeted, where it may begin. */
  attack: optional(custom<AttackFacts>((value) => typeof value === 'object' && value !== null, 'must be an object')),
  /**
   * Queries under way at once, for methods that can ask for the next one before all are answered (bayesian, cma-es). Above 1
   * their way depends on the order of the answers. At least 1; default 1.
   */
  concurrency: withDefault(count, 1),
  /** Number of terms, for a finite sum. At least 1. */
  population: optional(count),
  /** Records kept besides the latest; longer runs are thinned. At least 1; default 1000. */
  historySize: withDefault(count, 1000),
  /** Continue from here. */
  resume: optional(custom<Checkpoint>((value) => typeof value === 'object' && value !== null, 'must be a checkpoint')),
  /** The implementation of the hot loops: WebAssembly where there is SIMD, or plain TypeScript. Default 'fastest'. */
  kernels: withDefault(
    union(
      oneOf('fastest', 'scalar'),
      custom<Kernels>((value) => typeof value === 'object' && value !== null && 'perturb' in value, 'must be kernels'),
    ),
    'fastest',
  ),
  /** A monotonic clock in milliseconds, for maxTime. Default () => performance.now(). */
  clock: withDefault(functionThat<() => number>('must be a function'), () => () => performance.now()),
})

/** The shape of `sessionOptions`, by a name, so that the comments above go wherever it is joined with others. */
export type SessionShape = ShapeOf<typeof declared>

/** Options of a session that do not concern the objective. */
export const sessionOptions: Table<SessionShape> = declared

/** Options of `createSession`. */
export interface SessionOptions extends Input<typeof sessionOptions> {}

/** Used where neither queries, iterations nor time limit a run; a target alone may never be reached. */
export const defaultMaxQueries = 10_000

/** All of R^d, where no set is given. */
export const unconstrained: ConvexSet = {
  needsMetric: false,
  unbounded: true,
  check: () => undefined,
  contains: () => true,
  scratchSize: () => 0,
  project: () => undefined,
}
