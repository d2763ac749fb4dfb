import { ZerothError } from '../core/errors.ts'
import {
  count,
  flag,
  fractionSchedule,
  join,
  mapped,
  type Output,
  optional,
  pick,
  positive,
  schedule,
  table,
  withDefault,
} from '../core/options.ts'
import { definePart, part } from '../core/part.ts'
import type { Directions, Mirror, Schedule, Solver } from '../core/types.ts'
import { coordinate, sphere } from '../parts/directions/basic.ts'
import { central, forward, nes } from '../parts/estimators/differences.ts'
import { probeOptions } from '../parts/estimators/probes.ts'
import { euclidean } from '../parts/mirrors/mirrors.ts'
import { chain, distanceOverGradients, plain, sign } from '../parts/steps/basic.ts'
import {
  adaptiveMoments,
  momentOptions,
  momentum,
  radazo,
  radazoOptions,
  scalarMoment,
  scalarMomentOptions,
} from '../parts/steps/moments.ts'
import { descent } from './descent.ts'

// The methods of the paper and its kin: each is `descent` with an estimate g of the gradient, a step and a rate.
//
//   forward   g = (1 / q) sum_i (d / mu) (f(x + mu u_i) - f(x)) u_i
//   central   g = (1 / q) sum_i (d / 2 mu) (f(x + mu u_i) - f(x - mu u_i)) u_i
//   all of them end with the projection onto the set of the run.

/** A learning rate of a solver whose own is constant: so is a bare number. */
const constantRate = /* @__PURE__ */ mapped(schedule, (rate) =>
  typeof rate === 'number' ? { value: rate, decay: 'none' as const } : rate,
)

/** The options all presets share; a preset adds its own learning rate, found to work on unit-scaled problems. */
function presetOptions({ learningRate, along = sphere }: { learningRate: number; along?: () => Directions }) {
  return join(
    table({
      /** alpha: a bare number decays as alpha / sqrt(t); { value, decay: "none" } stays constant. */
      learningRate: withDefault(schedule, learningRate),
      /** Directions per iteration (the paper: q). At least 1; default 10. */
      directions: withDefault(count, 10),
      /** Samples per iteration of a stochastic objective (the paper: b). At least 1; default 1. */
      samples: withDefault(count, 1),
      /** Length of the probes (the paper: mu). Default 0.001. */
      smoothing: withDefault(schedule, 1e-3),
    }),
    pick(probeOptions, 'feasible'),
    table({
      /** Where the probes lie: sphere(), gaussian(), coordinate(), orthogonal(). */
      along: withDefault(part<Directions>('directions', 'start'), () => along()),
    }),
  )
}

/** ZO-SGD (Ghadimi and Lan, 2013): x <- x - alpha_t g, with g the averaged one-sided estimate. */
export const zoSGD = definePart({
  kind: 'solver',
  name: 'zo-sgd',
  summary: 'Plain steps along the averaged estimate.',
  options: presetOptions({ learningRate: 0.03 }),
  examples: () => [{}],
  make: ({ learningRate, ...options }): Solver => descent({ estimator: forward(options), step: plain(), learningRate }),
})

/**
 * ZO-PSGD, which is ZO-ProxSGD for an indicator (Ghadimi et al., 2016): x <- project(x - alpha_t g), Euclidean. An alias:
 * ZO-SGD projects, too, onto whatever set a run has.
 */
export const zoPSGD = definePart({
  ...zoSGD.definition,
  name: 'zo-psgd',
  summary: 'Plain steps, projected in the Euclidean metric.',
})

/** ZO-signSGD (Liu et al., 2019): x <- x - alpha_t sign(g). */
export const zoSignSGD = definePart({
  kind: 'solver',
  name: 'zo-sign-sgd',
  summary: 'Steps of equal length in every coordinate.',
  options: presetOptions({ learningRate: 0.1 }),
  examples: () => [{}],
  make: ({ learningRate, ...options }): Solver => descent({ estimator: forward(options), step: sign(), learningRate }),
})

/** ZO-SCD (Lian et al., 2016): ZO-SGD with central differences along random coordinates, 2q queries. */
export const zoSCD = definePart({
  kind: 'solver',
  name: 'zo-scd',
  summary: 'Plain steps along random coordinates.',
  options: presetOptions({ learningRate: 0.03, along: coordinate }),
  examples: () => [{}],
  make: ({ learningRate, ...options }): Solver => descent({ estimator: central(options), step: plain(), learningRate }),
})

/** ZO-NES (Ilyas et al., 2018): x <- project(x - alpha_t sign(g)), g antithetic, the projection Euclidean. */
export const zoNES = definePart({
  kind: 'solver',
  name: 'zo-nes',
  summary: 'Sign steps along the antithetic estimate, projected.',
  options: join(
    presetOptions({ learningRate: 0.1 }),
    table({
      /** Divide by q as the reference code does. Default false. */
      referenceFactor: withDefault(flag, false),
    }),
  ),
  examples: () => [{}, { referenceFactor: true }],
  make: ({ learningRate, ...options }): Solver => descent({ estimator: nes(options), step: sign(), learningRate }),
})

/**
 * ZO-SMD (Duchi et al., 2015) with any mirror map. The default psi(x) = ||x||^2 is the reference code: ZO-SMD(alpha) is
 * ZO-PSGD(alpha / 2), bit for bit.
 */
export const zoSMD = definePart({
  kind: 'solver',
  name: 'zo-smd',
  summary: 'Mirror descent: Euclidean, or entropy on the simplex.',
  options: join(
    presetOptions({ learningRate: 0.06 }),
    table({
      /** The geometry: euclidean() or entropy(). Default euclidean(weight: 1). */
      mirror: withDefault(part<Mirror>('mirror', 'start'), () => euclidean({ weight: 1 })),
    }),
  ),
  examples: () => [{}],
  make: ({ learningRate, mirror, ...options }): Solver =>
    descent({ estimator: forward(options), step: plain(), mirror, learningRate }),
})

/**
 * ZO-AdaMM, Algorithm 1: adaptive moments of the averaged estimate, projected in the metric sqrt(vhat_t).
 * Its rate is constant, because the running maximum already shrinks the steps; the paper's alpha / sqrt(t) is
 * { value: alpha, decay: 'sqrt' }. The default falls with the dimension: steps follow (q / d) of the gradient, and longer ones are unstable.
 */
export const zoAdaMM = definePart({
  kind: 'solver',
  name: 'zo-adamm',
  summary: "The paper's method: adaptive momentum with the Mahalanobis projection.",
  options: join(
    presetOptions({ learningRate: 0.1 }),
    table({
      /** alpha: constant; { value, decay: "sqrt" } decays as alpha / sqrt(t); if left out, min(0.1, sqrt(q / d)). */
      learningRate: optional(constantRate),
    }),
    momentOptions,
  ),
  examples: () => [{}, { maxSecondMoment: false }, { beta1: { value: 0.9, decay: 'linear' } }],
  make: ({ learningRate, along, directions, samples, smoothing, feasible, ...moments }): Solver =>
    descent({
      estimator: forward({ along, directions, samples, smoothing, feasible }),
      step: adaptiveMoments(moments),
      learningRate: learningRate ?? adammRate(directions),
    }),
})

function adammRate(directions: number): Schedule {
  return (_, dim = directions) => Math.min(0.1, Math.sqrt(directions / dim))
}

/** R-AdaZO (Shu et al., 2025): ZO-AdaMM with the second moment of the momentum instead of that of the estimates. */
export const zoRAdaZO = definePart({
  kind: 'solver',
  name: 'zo-radazo',
  summary: "R-AdaZO: momentum divided by the root of the momentum's own second moment.",
  options: join(
    presetOptions({ learningRate: 0.1 }),
    table({
      /** alpha: a bare number decays as alpha / sqrt(t); if left out, min(0.1, 1 / sqrt(d)), which decays, too. */
      learningRate: optional(schedule),
    }),
    radazoOptions,
  ),
  examples: () => [{}, { beta2: 0.3, projection: 'euclidean' }],
  make: ({ learningRate, along, directions, samples, smoothing, feasible, ...moments }): Solver =>
    descent({
      estimator: forward({ along, directions, samples, smoothing, feasible }),
      step: radazo(moments),
      learningRate: learningRate ?? radazoRate,
    }),
})

/** Every coordinate moves by about the rate, whatever the gradient: shorter steps where there are many, and later on. */
const radazoRate: Schedule = (iteration, dim = 1) => Math.min(0.1, 1 / Math.sqrt(dim)) / Math.sqrt(iteration)

const normalizedOptions = join(
  join(
    presetOptions({ learningRate: 0.1 }),
    table({
      /**
       * alpha: constant; { value, decay: "sqrt" } decays as alpha / sqrt(t); if left out, the distance covered sets the
       * steps.
       */
      learningRate: optional(constantRate),
      /** Where there is no learning rate, the length of the first step; if left out, a tenth of 1 + ||x_0||. Above 0. */
      initial: optional(positive),
    }),
  ),
  scalarMomentOptions,
  table({
    /** Share of the past in the momentum; if left out, 0.9 with a learning rate and 0.5 without. */
    beta1: optional(fractionSchedule),
  }),
)

/**
 * ZO-AdaMM with one second moment for all coordinates and the Euclidean projection. Without a learning rate the length
 * of its steps comes from the distance covered so far, and the momentum is taken after that.
 */
export const zoNormalized = definePart({
  kind: 'solver',
  name: 'zo-normalized',
  summary: 'Momentum with one second moment for all coordinates; needs no learning rate.',
  options: normalizedOptions,
  examples: () => [{}, { initial: 0.5 }, { learningRate: 0.1 }, { beta1: 0.9, maxSecondMoment: false }],
  make: ({ along, directions, samples, smoothing, feasible, ...given }): Solver =>
    descent({ estimator: forward({ along, directions, samples, smoothing, feasible }), ...pace(given) }),
})

/** The step and its rate. */
function pace({ learningRate, initial, beta1, ...moments }: Pick<Output<typeof normalizedOptions>, Pacing>) {
  if (learningRate === undefined) {
    const distance = distanceOverGradients({ initial })
    const steps = [scalarMoment({ ...moments, beta1: 0 }), distance, momentum({ beta: beta1 ?? 0.5 })]
    return { step: chain({ steps }), learningRate: { value: 1, decay: 'none' as const } }
  }
  if (initial === undefined) return { step: scalarMoment({ ...moments, beta1 }), learningRate }
  const wanted = 'is the length of the first step of a run without a learning rate; give only one of them'
  throw new ZerothError('invalid-option', `zo-normalized.initial ${wanted}, got ${initial} and a learningRate`)
}

type Pacing = 'learningRate' | 'initial' | keyof typeof scalarMomentOptions.shape
