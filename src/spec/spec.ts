import type { Input } from '../core/option-type.ts'
import { count, finiteList, flag, noted, numberList, option, optional, positive, table } from '../core/options.ts'
import { part } from '../core/part.ts'
import {
  anyNumber,
  filledText,
  oneOf,
  recordOf,
  tested,
  text,
  tuple,
  union,
  wholeFrom,
  yesOrNo,
} from '../core/schema.ts'
import { describedSession } from '../core/session-sentences.ts'
import type { ConvexSet, Solver } from '../core/types.ts'
import { variablesOption } from '../core/variables-option.ts'
import { auto } from '../parts.ts'
import { handingOut } from '../queue/index.ts'
import { cachedOptions } from '../wrappers/cached.ts'
import { noisyOptions } from '../wrappers/noisy.ts'
import { rateLimitedOptions } from '../wrappers/rate-limited.ts'
import { retriedOptions } from '../wrappers/retried.ts'
import type { Json } from './plain-data.ts'

/** A part as a spec writes it: its name, or its name and its options. */
export type PartSpec = string | { readonly name: string; readonly [option: string]: Json | undefined }

/** Larger problems need a program that keeps its points elsewhere. */
export const maxDim = 20_000_000

const { seed, precision, maxQueries, maxIterations, maxTime, target, failures, trackBest, population, shape } =
  describedSession.shape

const boundOption = union(anyNumber, oneOf(Infinity, -Infinity), numberList)

const { sleep: _, ...retrying } = retriedOptions.shape
const { clock: __, sleep: ___, ...pacing } = rateLimitedOptions.shape

const queueOption = table({
  ...handingOut,
  serves: optional(
    filledText,
    'a name for what workers evaluate, the same there; if left out, they must have the same program or module as the spec',
  ),
})

/** Everything that a spec can say: the one source of its checks, its types and its JSON Schema. */
export const specOptions = table({
  $schema: optional(text, 'where editors find the schema of this file; ignored by zeroth'),
  objective: noted(
    option(
      tested<PartSpec>(() => true, 'must be an objective'),
      'what to minimise: a test problem or a black box',
    ),
    { blackBox: true },
  ),
  dim: optional(wholeFrom(1, maxDim), 'number of variables, where the objective does not fix it'),
  start: optional(
    union(anyNumber, finiteList, oneOf('own', 'middle'), recordOf(anyNumber)),
    'where to begin: one number for all coordinates, one each, by name (of some variables; the others in the middle), "own" (that of a test problem) or "middle" (of the bounds); if left out, "own" where there is one, else "middle" where there are bounds, else 0',
  ),
  variables: optional(
    variablesOption,
    'the variables by name, with bounds and a scale each; not together with bounds or set',
  ),
  bounds: optional(
    tuple(boundOption, boundOption),
    'lower and upper bound, each a number for all coordinates or a list with one each: short for a box as the set',
  ),
  set: optional(part<ConvexSet>('set', 'project', 'where points may lie; everywhere if left out')),
  solver: part<Solver>('solver', 'begin', 'the method', () => auto()),
  seed,
  maxQueries,
  maxIterations,
  maxTime,
  target,
  failures,
  precision,
  trackBest,
  population,
  shape,
  timeout: optional(positive('milliseconds for one query: short for the time-out of the objective')),
  jobs: optional(
    wholeFrom(1, 1024),
    'queries in flight at once: short for the processes, workers or concurrency of the objective',
  ),
  batch: optional(count('points per call at most: short for the batch size of the objective')),
  retry: optional(union(yesOrNo, table(retrying)), 'retry failed queries'),
  rate: optional(table(pacing), 'limit the rate of queries'),
  noise: optional(noisyOptions, 'add noise to every value, for experiments'),
  cache: optional(union(yesOrNo, cachedOptions), 'never query the same point twice'),
  queue: optional(
    union(noted(filledText, { secret: true }), queueOption),
    'let workers on many machines evaluate the queries: the address of the Redis server where they wait, or that with options',
  ),
  log: flag('save every query in the run, in calls.jsonl', false),
})

type Written = Input<typeof specOptions>

/** A spec as a program writes it: what a file would hold. */
export type Spec = Omit<Written, 'objective' | 'solver' | 'set' | 'start'> & {
  readonly objective: PartSpec
  readonly solver?: PartSpec | undefined
  readonly set?: PartSpec | undefined
  readonly start?: number | readonly number[] | 'own' | 'middle' | Readonly<Record<string, number>> | undefined
}
