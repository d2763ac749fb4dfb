import type { Kernels } from '../kernels/kernels.ts'
import type { Checkpoint } from './checkpoint.ts'
import { isNamedVariables, type NamedVariables } from './named-variables.ts'
import { imageDimensions, optional, standing, table } from './options.ts'
import { partType } from './part.ts'
import { anyNumber, functionThat, oneOf, positiveNumber, tested, union, wholeFrom, yesOrNo } from './schema.ts'
import type { AttackFacts, ConvexSet, Solver } from './types.ts'
import { unconstrained } from './unconstrained.ts'

/** What to do when a query fails: a throw, a time-out, or a value that is not a finite number. */
export const failurePolicies = ['stop', 'skip', 'worst'] as const

/** What a failed query does: the run stops, the query is left out, or it gets the worst value so far. */
export type FailurePolicy = (typeof failurePolicies)[number]

/** Options of a session that do not concern the objective. What each means is said in session-sentences.ts. */
export const sessionOptions = table({
  solver: partType<Solver>('solver', 'begin'),
  set: standing(partType<ConvexSet>('set', 'project'), () => unconstrained),
  variables: optional(tested<NamedVariables>(isNamedVariables, 'must be made by namedVariables')),
  seed: standing(wholeFrom(0), () => 0),
  precision: standing(oneOf('float64', 'float32'), () => 'float64' as const),
  maxQueries: optional(wholeFrom(1)),
  maxIterations: optional(wholeFrom(0)),
  maxTime: optional(positiveNumber),
  target: optional(anyNumber),
  failures: standing(oneOf(...failurePolicies), () => 'stop' as const),
  trackBest: standing(yesOrNo, () => true),
  shape: optional(imageDimensions),
  attack: optional(tested<AttackFacts>((value) => typeof value === 'object' && value !== null, 'must be an object')),
  population: optional(wholeFrom(1)),
  historySize: standing(wholeFrom(1), () => 1000),
  resume: optional(tested<Checkpoint>((value) => typeof value === 'object' && value !== null, 'must be a checkpoint')),
  kernels: standing(
    union(
      oneOf('fastest', 'scalar'),
      tested<Kernels>((value) => typeof value === 'object' && value !== null && 'perturb' in value, 'must be kernels'),
    ),
    () => 'fastest' as const,
  ),
  clock: standing(functionThat<() => number>('must be a function'), () => () => performance.now()),
})

/** Used where neither queries, iterations nor time limit a run; a target alone may never be reached. */
export const defaultMaxQueries = 10_000
