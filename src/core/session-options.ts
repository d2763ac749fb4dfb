import { z } from 'zod'
import type { Kernels } from '../kernels/kernels.ts'
import type { Checkpoint } from './checkpoint.ts'
import { countOption } from './options.ts'
import { partOption } from './part.ts'
import type { ConvexSet, Solver } from './types.ts'
import { unconstrained } from './unconstrained.ts'

/** What to do when a query fails: a throw, a time-out, or a value that is not a finite number. */
export const failurePolicies = ['stop', 'skip', 'worst'] as const
export type FailurePolicy = (typeof failurePolicies)[number]

/** The limits of a run, shared by every way to start one. */
const budgetOptions = {
  maxQueries: countOption.optional().describe('answers asked of the objective at most'),
  maxIterations: z.int().min(0).optional().describe('iterations at most'),
  maxTime: z.number().positive().optional().describe('milliseconds for the whole run at most'),
  target: z.number().optional().describe('stop as soon as a point has this value or a better one'),
}

/** Options of a session that do not concern the objective. */
export const sessionOptions = z.object({
  solver: partOption<Solver>('solver', 'begin').describe('the method'),
  set: partOption<ConvexSet>('set', 'project').default(unconstrained).describe('where points may lie'),
  seed: z.int().min(0).default(0).describe('determines every random number of the run'),
  precision: z.enum(['float64', 'float32']).default('float64').describe('storage of points and state'),
  ...budgetOptions,
  failures: z.enum(failurePolicies).default('stop').describe('what a failed query does'),
  trackBest: z
    .boolean()
    .default(true)
    .describe('ask the current point in each iteration, also where the estimate does not need it'),
  shape: z
    .strictObject({ channels: countOption, height: countOption, width: countOption })
    .optional()
    .describe(
      'the size of the image whose pixels the variables are, channel by channel, for methods that look at it as one',
    ),
  population: countOption.optional().describe('number of terms, for a finite sum'),
  historySize: countOption.default(1000).describe('records kept besides the latest; longer runs are thinned'),
  resume: z
    .custom<Checkpoint>((value) => typeof value === 'object' && value !== null, { error: 'must be a checkpoint' })
    .optional()
    .describe('continue from here'),
  kernels: z
    .union([
      z.enum(['fastest', 'scalar']),
      z.custom<Kernels>((value) => typeof value === 'object' && value !== null && 'perturb' in value, {
        error: 'must be kernels',
      }),
    ])
    .default('fastest')
    .describe('the implementation of the hot loops: WebAssembly where there is SIMD, or plain TypeScript'),
  clock: z
    .custom<() => number>((value) => typeof value === 'function', { error: 'must be a function' })
    .default(() => () => performance.now())
    .describe('a monotonic clock in milliseconds, for maxTime'),
})

export type SessionOptions = z.input<typeof sessionOptions>

/** Used where neither queries, iterations nor time limit a run; a target alone may never be reached. */
export const defaultMaxQueries = 10_000
