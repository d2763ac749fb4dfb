import type { Output } from '../core/option-type.ts'
import { choice, count, flag, list, optional, table } from '../core/options.ts'
import { originOf, part } from '../core/part.ts'
import { oneOf, union, wholeFrom } from '../core/schema.ts'
import { createSession } from '../core/session.ts'
import { describedSession } from '../core/session-sentences.ts'
import { failurePolicies } from '../core/session-table.ts'
import type { Solver } from '../core/types.ts'
import type { Model } from '../models/model.ts'
import { strongest } from '../solvers/strongest.ts'
import { attackFacts, checkKappa, problemOptions } from './attack-problem.ts'
import type { AttackForm } from './form.ts'

const { seed, maxIterations } = describedSession.shape

/** Everything that decides what an evaluation does: the one source of its checks, its help and its spec. */
export const robustnessOptions = table({
  solver: part<Solver>('solver', 'begin', 'the method', () => strongest()),
  second: optional(
    part<Solver>(
      'solver',
      'begin',
      'another method, for images that withstand the first: it has the last quarter of their queries; none if left out',
    ),
  ),
  ...problemOptions,
  smaller: optional(
    list(
      part<AttackForm>('attack', 'begin', 'a problem with a smaller limit'),
      'the same problem with smaller and smaller limits: an image that is fooled is attacked within the next, up to the first that it withstands',
    ),
  ),
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
    kappa = 0,
  }: Pick<ReadyOptions, 'solver' | 'precision' | 'form'> & Partial<Pick<ReadyOptions, 'target' | 'kappa'>>,
  model: Pick<Model, 'shape' | 'scores' | 'grid'>,
): readonly string[] {
  const { shape } = model
  checkKappa(model, kappa)
  const posed = form.begin([new Float32Array(shape.channels * shape.height * shape.width)])
  const attack = attackFacts(model, posed, target !== undefined)
  const { warnings } = createSession(new Float64Array(posed.dim), { solver, precision, set: posed.set, shape, attack })
  return attack.labelsOnly === true && solver.readsLabels !== true ? [...warnings, blind(solver)] : warnings
}

/** Said of a method that follows slopes where a model shows none: what it does not fool is not robust. */
function blind(solver: Solver): string {
  const named = originOf(solver)?.name ?? 'the method'
  const why = 'needs scores, and the model answers with a class alone: images it does not fool may not be robust'
  return `${named} ${why}; use label-only`
}
