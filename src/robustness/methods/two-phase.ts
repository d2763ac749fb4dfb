import { count, integerFrom, numberFrom, optional, table, withDefault } from '../../optimizer/core/options.ts'
import { definePart, part } from '../../optimizer/core/part.ts'
import type { Solver } from '../../optimizer/core/types.ts'
import { nearestBoundary } from './nearest-boundary.ts'
import { inTwoPhases } from './sequence.ts'
import { simba } from './simba.ts'

/**
 * One method for a quick first success, another to make the most of it. The first works until the objective says that the
 * current point does what it is for: an attack's picture fools the model. A few queries then look for a point like it
 * nearer to the start, and the second continues from there to the end. Where the objective never says so, the second takes
 * over the best point when the first has nothing more to do, or is out of patience.
 */
export const twoPhase = definePart({
  kind: 'solver',
  forAttacks: true,
  name: 'two-phase',
  summary: 'A quick method until it succeeds, then another that continues from there.',
  options: table({
    /** The method that looks for a first success. Default simba(step: 0.5). */
    first: withDefault(part<Solver>('solver', 'start'), () => simba({ step: 0.5 })),
    /** The method that continues from there. Default nearestBoundary(). */
    second: withDefault(part<Solver>('solver', 'start'), () => nearestBoundary()),
    /**
     * Queries without success after which the second method begins; a quarter of the budget if left out. At least 1.
     */
    patience: optional(count),
    /**
     * Queries on the way back to the start, which halve it each time, between success and second method. At least 0;
     * default 8.
     */
    shrink: withDefault(integerFrom(0), 8),
    /**
     * Share of the way to the start by which descent is drawn back after every iteration that succeeds. At least 0 and
     * at most 1; default 0.4.
     */
    pull: withDefault(numberFrom(0, 1), 0.4),
  }),
  examples: () => [],
  make: (options): Solver => inTwoPhases(options),
})
