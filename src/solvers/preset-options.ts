import { count, positiveSchedule, schedule } from '../core/options.ts'
import { part } from '../core/part.ts'
import { mapped } from '../core/schema.ts'
import type { Directions } from '../core/types.ts'
import { sphere } from '../directions/sphere.ts'
import { probeOptions } from '../estimators/probes.ts'

/** What a learning rate means where that of the solver decays. */
export const decayingRate = 'alpha: a bare number decays as alpha / sqrt(t); { value, decay: "none" } stays constant'

/** A learning rate of a solver whose own is constant: so is a bare number. */
export const constantRate = /* @__PURE__ */ mapped(positiveSchedule, (rate) =>
  typeof rate === 'number' ? { value: rate, decay: 'none' as const } : rate,
)

/** The options all presets share; a preset adds its own learning rate, found to work on unit-scaled problems. */
export function presetOptions({ learningRate, along = sphere }: { learningRate: number; along?: () => Directions }) {
  return {
    learningRate: schedule(decayingRate, learningRate),
    directions: count('directions per iteration (the paper: q)', 10),
    samples: count('samples per iteration of a stochastic objective (the paper: b)', 1),
    smoothing: schedule('length of the probes (the paper: mu)', 1e-3),
    feasible: probeOptions.feasible,
    along: part<Directions>(
      'directions',
      'begin',
      'where the probes lie: sphere(), gaussian(), coordinate(), orthogonal()',
      () => along(),
    ),
  }
}
