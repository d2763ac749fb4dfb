import { z } from 'zod'
import { countOption, numbersOption } from '../core/options.ts'
import { partOption } from '../core/part.ts'
import { sessionOptions } from '../core/session-options.ts'
import type { ConvexSet, Solver } from '../core/types.ts'
import { zoAdaMM } from '../parts.ts'
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
  sessionOptions.shape

const boundOption = z.union([z.number(), z.literal([Infinity, -Infinity])])

const finiteNumbers = numbersOption.refine((list) => list.every(Number.isFinite), {
  error: 'must hold finite numbers only',
})

/** Everything that a spec can say: the one source of its checks, its types and its JSON Schema. */
export const specOptions = z.object({
  $schema: z.string().optional().describe('where editors find the schema of this file; means nothing to a run'),
  objective: z
    .custom<PartSpec>(() => true)
    .meta({ blackBox: true })
    .describe('what to minimise: a test problem or a black box'),
  dim: countOption.max(maxDim).optional().describe('number of variables, where the objective does not fix it'),
  start: z
    .union([z.number(), finiteNumbers, z.enum(['own', 'middle'])])
    .optional()
    .describe(
      'where to begin: one number for all coordinates, one each, "own" (that of a test problem) or "middle" (of the bounds); if left out, "own" where there is one, else "middle" where there are bounds, else 0',
    ),
  bounds: z
    .tuple([boundOption, boundOption])
    .optional()
    .describe('lowest and highest value of every coordinate: short for a box as the set'),
  set: partOption<ConvexSet>('set', 'project').optional().describe('where points may lie; everywhere if left out'),
  solver: partOption<Solver>('solver', 'begin')
    .default(() => zoAdaMM())
    .describe('the method'),
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
  timeout: z
    .number()
    .positive()
    .optional()
    .describe('milliseconds for one query: short for the time-out of the objective'),
  jobs: countOption
    .max(1024)
    .optional()
    .describe('queries under way at once: short for the processes, workers or concurrency of the objective'),
  batch: countOption.optional().describe('points per call at most: short for the batch size of the objective'),
  retry: z
    .union([z.boolean(), retriedOptions.omit({ sleep: true }).strict()])
    .optional()
    .describe('ask failed queries again'),
  rate: rateLimitedOptions.omit({ clock: true, sleep: true }).strict().optional().describe('ask no faster than this'),
  noise: noisyOptions.strict().optional().describe('add noise to every value, for experiments'),
  cache: z.union([z.boolean(), cachedOptions.strict()]).optional().describe('ask no point twice'),
  log: z.boolean().default(false).describe('save every query in the run, in calls.jsonl'),
})

type Written = z.input<typeof specOptions>

/** A spec as a program writes it: what a file would hold. */
export type Spec = Omit<Written, 'objective' | 'solver' | 'set' | 'start'> & {
  readonly objective: PartSpec
  readonly solver?: PartSpec | undefined
  readonly set?: PartSpec | undefined
  readonly start?: number | readonly number[] | 'own' | 'middle' | undefined
}
