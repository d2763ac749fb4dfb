import {
  count,
  flag,
  type Input,
  integerFrom,
  join,
  listOf,
  type Output,
  oneOf,
  optional,
  pick,
  table,
  union,
  withDefault,
} from '../optimizer/core/options.ts'
import { originOf, part } from '../optimizer/core/part.ts'
import { createSession } from '../optimizer/core/session.ts'
import { sessionOptions } from '../optimizer/core/session-options.ts'
import type { Solver } from '../optimizer/core/types.ts'
import { attackFacts, attackProblemOptions, checkKappa } from './attack-problem.ts'
import type { Formulation } from './formulation.ts'
import { strongest } from './methods/strongest.ts'
import type { Model } from './models/model.ts'

/** Everything that decides what an evaluation does: the one source of its checks, its help and its spec. */
export const robustnessOptions = join(
  join(
    table({
      /** The method. Default strongest(). */
      solver: withDefault(part<Solver>('solver', 'start'), () => strongest()),
      /**
       * Another method, for images that withstand the first: it has the last quarter of their queries; none if left out.
       */
      second: optional(part<Solver>('solver', 'start')),
    }),
    attackProblemOptions,
    table({
      /**
       * The same problem with smaller and smaller limits: an image that is fooled is attacked within the next, up to the
       * first that it withstands.
       */
      smaller: optional(listOf(part<Formulation>('attack', 'start'), 1)),
      /** The class every image is to be taken for, or "next" for the class after its own; any other if left out. */
      target: optional(union(integerFrom(0), oneOf('next'))),
      /** How many images are attacked; all that are classified correctly if left out. At least 1. */
      count: optional(count),
      /** Queries per image at most, or of the one universal attack. At least 1; default 11001. */
      maxQueries: withDefault(count, 11_001),
    }),
  ),
  pick(sessionOptions, 'maxIterations', 'seed'),
  table({
    /** Storage of points and state. Default 'float32'. */
    precision: withDefault(oneOf('float64', 'float32'), 'float32'),
    /** Stop the attack on an image as soon as it is fooled. Default false. */
    earlyStop: withDefault(flag, false),
    /** One perturbation for all images instead of one each. Default false. */
    universal: withDefault(flag, false),
    /** What a failed query does. Default 'skip'. */
    failures: withDefault(oneOf('stop', 'skip', 'worst'), 'skip'),
  }),
)

/** Options of `evaluateRobustness`. */
export interface RobustnessOptions extends Input<typeof robustnessOptions> {}

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
    formulation,
    target,
    kappa = 0,
  }: Pick<ReadyOptions, 'solver' | 'precision' | 'formulation'> & Partial<Pick<ReadyOptions, 'target' | 'kappa'>>,
  model: Pick<Model, 'shape' | 'scores' | 'grid'>,
): readonly string[] {
  const { shape } = model
  checkKappa(model, kappa)
  const posed = formulation.start([new Float32Array(shape.channels * shape.height * shape.width)])
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
