import {
  count,
  custom,
  filledText,
  finiteList,
  flag,
  type Input,
  integerFrom,
  join,
  json,
  noted,
  number,
  numbers,
  omit,
  oneOf,
  optional,
  pick,
  positive,
  recordOf,
  table,
  text,
  tuple,
  union,
  withDefault,
} from '../../optimizer/core/options.ts'
import { part } from '../../optimizer/core/part.ts'
import { sessionOptions } from '../../optimizer/core/session-options.ts'
import type { ConvexSet, Solver } from '../../optimizer/core/types.ts'
import type { NamedPoint } from '../../optimizer/core/variable-types.ts'
import { variablesOption } from '../../optimizer/core/variables.ts'
import { cachedOptions } from '../../optimizer/wrappers/cached.ts'
import { rateLimitedOptions } from '../../optimizer/wrappers/limits.ts'
import { noisyOptions } from '../../optimizer/wrappers/noisy.ts'
import { retriedOptions } from '../../optimizer/wrappers/retried.ts'
import { auto } from '../../parts.ts'
import { dispatchOptions } from '../executors/queue/index.ts'
import type { Json } from './plain-data.ts'

/** A part as a spec writes it: its name, or its name and its options. */
export type PartSpec = string | { readonly name: string; readonly [option: string]: Json | undefined }

/** Larger problems need a program that keeps its points elsewhere. */
export const maxDim = 20_000_000

const boundOption = union(number, oneOf(Infinity, -Infinity), numbers)

const queueOption = join(
  dispatchOptions,
  table({
    /**
     * A name for what workers evaluate, the same there; if left out, they must have the same program or module as the
     * spec.
     */
    serves: optional(filledText),
  }),
)

/** Everything that a spec can say: the one source of its checks, its types and its JSON Schema. */
export const specOptions = join(
  table({
    /** Where editors find the schema of this file; ignored by zeroth. */
    $schema: optional(text),
    /** What to minimise: a test problem or a black box. */
    objective: noted(
      custom<PartSpec>(() => true, 'must be an objective'),
      { blackBox: true },
    ),
    /** Number of variables, where the objective does not fix it. */
    dim: optional(integerFrom(1, maxDim)),
    /**
     * Where to begin: one number for all coordinates, one each, by name (of some variables; the others in the middle, or the first choice),
     * "own" (that of a test problem) or "middle" (of the bounds); if left out, "own" where there is one, else "middle"
     * where there are bounds, else 0.
     */
    start: optional(union(number, finiteList, oneOf('own', 'middle'), recordOf(json))),
    /** The variables by name, and what each may be; not together with bounds or set. A dot in a name makes a group. */
    variables: optional(variablesOption),
    /** Lower and upper bound, each a number for all coordinates or a list with one each: short for a box as the set. */
    bounds: optional(tuple(boundOption, boundOption)),
    /** Where points may lie; everywhere if left out. */
    set: optional(part<ConvexSet>('set', 'project')),
    /** The method. */
    solver: withDefault(part<Solver>('solver', 'start'), () => auto()),
  }),
  pick(
    sessionOptions,
    ...(['seed', 'maxQueries', 'maxIterations', 'maxTime', 'target', 'patience'] as const),
    ...(['failures', 'precision', 'trackBest', 'population', 'shape'] as const),
  ),
  table({
    /** Milliseconds for one query: short for the time-out of the objective. */
    timeout: optional(positive),
    /** Queries in flight at once: short for the processes, workers or concurrency of the objective, and for concurrency. */
    jobs: optional(integerFrom(1, 1024)),
    /**
     * Queries that the method may have under way at once, if it can ask for the next one before all are answered (bayesian, cma-es).
     * Its way then depends on the order of the answers. 1 if left out.
     */
    concurrency: optional(integerFrom(1, 1024)),
    /** Points per call at most: short for the batch size of the objective. */
    batch: optional(count),
    /** Retry failed queries. */
    retry: optional(union(flag, omit(retriedOptions, 'sleep'))),
    /** Limit the rate of queries. */
    rate: optional(omit(rateLimitedOptions, 'clock', 'sleep')),
    /** Add noise to every value, for experiments. */
    noise: optional(noisyOptions),
    /** Never query the same point twice. */
    cache: optional(union(flag, cachedOptions)),
    /**
     * Let workers on many machines evaluate the queries: the address of the Redis server where they wait, or that with
     * options.
     */
    queue: optional(union(noted(filledText, { secret: true }), queueOption)),
    /**
     * Measurements of the start and of the best point after the run, in turns, that say how much better it is; not counted as
     * queries of the run. None if left out.
     */
    compare: optional(integerFrom(0, 1000)),
    /** Save every query in the run, in calls.jsonl. */
    log: withDefault(flag, false),
  }),
)

type Written = Input<typeof specOptions>

/** A spec as a program writes it: what a file would hold. */
export type Spec = Omit<Written, 'objective' | 'solver' | 'set' | 'start'> & {
  readonly objective: PartSpec
  readonly solver?: PartSpec | undefined
  readonly set?: PartSpec | undefined
  readonly start?: number | readonly number[] | 'own' | 'middle' | NamedPoint | undefined
}
