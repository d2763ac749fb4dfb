import { z } from 'zod'
import { countOption } from '../core/options.ts'
import { partOption } from '../core/part.ts'
import { sessionOptions } from '../core/session-options.ts'
import type { Solver } from '../core/types.ts'
import { problemOptions } from './attack-problem.ts'

const { seed, maxIterations } = sessionOptions.shape

/** Everything that decides what an evaluation does: the one source of its checks, its help and its spec. */
export const robustnessOptions = z.object({
  solver: partOption<Solver>('solver', 'begin').describe('the method'),
  ...problemOptions,
  target: z
    .union([z.int().min(0), z.literal('next')])
    .optional()
    .describe('the class every image is to be taken for, or "next" for the class after its own; any other if left out'),
  count: countOption.optional().describe('how many images are attacked; all that are classified correctly if left out'),
  maxQueries: countOption.default(11_001).describe('queries per image at most, or of the one universal attack'),
  maxIterations,
  seed,
  precision: z.enum(['float64', 'float32']).default('float32').describe('storage of points and state'),
  earlyStop: z.boolean().default(false).describe('stop the attack on an image as soon as it is fooled'),
  universal: z.boolean().default(false).describe('one perturbation for all images instead of one each'),
  failures: sessionOptions.shape.failures.default('skip').describe('what a failed query does'),
})

export type RobustnessOptions = z.input<typeof robustnessOptions>
export type ReadyOptions = z.output<typeof robustnessOptions>
