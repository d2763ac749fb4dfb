import type { Input, Output } from '../core/option-type.ts'
import { choice, count, flag, optional, table } from '../core/options.ts'
import { part } from '../core/part.ts'
import { oneOf, union, wholeFrom } from '../core/schema.ts'
import { failurePolicies, sessionOptions } from '../core/session-table.ts'
import type { Solver } from '../core/types.ts'
import { problemOptions } from './attack-problem.ts'

const { seed, maxIterations } = sessionOptions.shape

/** Everything that decides what an evaluation does: the one source of its checks, its help and its spec. */
export const robustnessOptions = table({
  solver: part<Solver>('solver', 'begin', 'the method'),
  ...problemOptions,
  target: optional(
    union(wholeFrom(0), oneOf('next')),
    'the class every image is to be taken for, or "next" for the class after its own; any other if left out',
  ),
  count: optional(count('how many images are attacked; all that are classified correctly if left out')),
  maxQueries: count('queries per image at most, or of the one universal attack', 11_001),
  maxIterations,
  seed,
  precision: choice(['float64', 'float32'], 'storage of points and state', 'float32'),
  earlyStop: flag('stop the attack on an image as soon as it is fooled', false),
  universal: flag('one perturbation for all images instead of one each', false),
  failures: choice(failurePolicies, 'what a failed query does', 'skip'),
})

export type RobustnessOptions = Input<typeof robustnessOptions>
export type ReadyOptions = Output<typeof robustnessOptions>
