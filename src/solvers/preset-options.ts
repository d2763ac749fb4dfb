import { count, flag, schedule } from '../core/options.ts'
import { part } from '../core/part.ts'
import type { Directions } from '../core/types.ts'
import { sphere } from '../directions/sphere.ts'

/** The options all presets share; a preset adds its own learning rate, found to work on unit-scaled problems. */
export function presetOptions({ learningRate, along = sphere }: { learningRate: number; along?: () => Directions }) {
  return {
    learningRate: schedule(
      'alpha: a bare number decays as alpha / sqrt(t); { value, decay: "none" } stays constant',
      learningRate,
    ),
    directions: count('directions per iteration (the paper: q)', 10),
    samples: count('samples per iteration of a stochastic objective (the paper: b)', 1),
    smoothing: schedule('length of the probes (the paper: mu)', 1e-3),
    feasible: flag('keep every probe inside the set', false),
    along: part<Directions>(
      'directions',
      'begin',
      'where the probes lie: sphere(), gaussian(), coordinate(), orthogonal()',
      () => along(),
    ),
  }
}
