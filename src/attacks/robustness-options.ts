import type { Output } from '../core/option-type.ts'
import { choice, count, flag, optional, table } from '../core/options.ts'
import { part } from '../core/part.ts'
import { oneOf, union, wholeFrom } from '../core/schema.ts'
import { createSession } from '../core/session.ts'
import { describedSession } from '../core/session-sentences.ts'
import { failurePolicies } from '../core/session-table.ts'
import type { ImageShape, Solver } from '../core/types.ts'
import { strongest } from '../solvers/strongest.ts'
import { problemOptions } from './attack-problem.ts'

const { seed, maxIterations } = describedSession.shape

/** Everything that decides what an evaluation does: the one source of its checks, its help and its spec. */
export const robustnessOptions = table({
  solver: part<Solver>('solver', 'begin', 'the method', () => strongest()),
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

/** The same with what was left out filled in. */
export type ReadyOptions = Output<typeof robustnessOptions>

/**
 * What a method has to say about its settings, once and not for every image. It begins on an empty image: settings with
 * which it cannot begin on images of that size are thrown before anything is asked.
 */
export function settingsWarnings(
  {
    solver,
    precision,
    form,
    target,
  }: Pick<ReadyOptions, 'solver' | 'precision' | 'form'> & Partial<Pick<ReadyOptions, 'target'>>,
  shape: ImageShape,
): readonly string[] {
  const { set, dim, limits } = form.begin([new Float32Array(shape.channels * shape.height * shape.width)])
  const attack = { ...limits, targeted: target !== undefined }
  return createSession(new Float64Array(dim), { solver, precision, set, shape, attack }).warnings
}
