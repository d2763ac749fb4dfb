import { z } from 'zod'
import { countOption } from '../core/options.ts'
import { definePart, partOption } from '../core/part.ts'
import type { Solver } from '../core/types.ts'
import { inTwoPhases } from './in-two-phases.ts'
import { simba } from './simba.ts'
import { zeroth } from './zeroth.ts'

/**
 * One method for a quick first success, another to make the most of it. The first works until the objective says that the
 * current point does what it is for: an attack's picture fools the model. A few queries then look for a point like it
 * nearer to the start, and the second goes on from there to the end. Where the objective never says so, the second takes
 * over the best point when the first has nothing more to do, or is out of patience.
 */
export const twoPhase = definePart({
  kind: 'solver',
  name: 'two-phase',
  summary: 'A quick method until it succeeds, then another that goes on from there.',
  options: z.object({
    first: partOption<Solver>('solver', 'begin')
      .default(() => simba({ step: 0.5 }))
      .describe('the method that looks for a first success'),
    second: partOption<Solver>('solver', 'begin')
      .default(() => zeroth())
      .describe('the method that goes on from there'),
    patience: countOption
      .optional()
      .describe('queries without success after which the second method begins; a quarter of the budget if left out'),
    shrink: z
      .int()
      .min(0)
      .default(8)
      .describe('queries on the way back to the start, which halve it each time, between success and second method'),
    pull: z
      .number()
      .min(0)
      .max(1)
      .default(0.4)
      .describe('share of the way to the start by which descent is drawn back after every iteration that succeeds'),
  }),
  examples: () => [],
  make: (options): Solver => inTwoPhases(options),
})
