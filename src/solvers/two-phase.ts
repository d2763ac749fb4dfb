import { count, option, optional, table } from '../core/options.ts'
import { definePart, part } from '../core/part.ts'
import { numberFrom, wholeFrom } from '../core/schema.ts'
import type { Solver } from '../core/types.ts'
import { inTwoPhases } from './in-two-phases.ts'
import { simba } from './simba.ts'
import { zeroth } from './zeroth.ts'

/**
 * One method for a quick first success, another to make the most of it. The first works until the objective says that the
 * current point does what it is for: an attack's picture fools the model. A few queries then look for a point like it
 * nearer to the start, and the second continues from there to the end. Where the objective never says so, the second takes
 * over the best point when the first has nothing more to do, or is out of patience.
 */
export const twoPhase = definePart({
  kind: 'solver',
  name: 'two-phase',
  summary: 'A quick method until it succeeds, then another that continues from there.',
  options: table({
    first: part<Solver>('solver', 'begin', 'the method that looks for a first success', () => simba({ step: 0.5 })),
    second: part<Solver>('solver', 'begin', 'the method that continues from there', () => zeroth()),
    patience: optional(
      count('queries without success after which the second method begins; a quarter of the budget if left out'),
    ),
    shrink: option(
      wholeFrom(0),
      'queries on the way back to the start, which halve it each time, between success and second method',
      8,
    ),
    pull: option(
      numberFrom(0, 1),
      'share of the way to the start by which descent is drawn back after every iteration that succeeds',
      0.4,
    ),
  }),
  examples: () => [],
  make: (options): Solver => inTwoPhases(options),
})
