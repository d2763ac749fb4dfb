import { z } from 'zod'
import { countOption, scheduleOption } from '../core/options.ts'
import { partOption } from '../core/part.ts'
import type { Directions } from '../core/types.ts'
import { coordinate } from '../directions/coordinate.ts'
import { sphere } from '../directions/sphere.ts'

/** The options all presets share; a preset adds its own learning rate, found to work on unit-scaled problems. */
export function presetOptions(defaults: { learningRate: number; along?: 'sphere' | 'coordinate' }) {
  return {
    learningRate: scheduleOption
      .default(defaults.learningRate)
      .describe('alpha: a bare number decays as alpha / sqrt(t); { value, decay: "none" } stays constant'),
    directions: countOption.default(10).describe('directions per iteration (the paper: q)'),
    samples: countOption.default(1).describe('samples per iteration of a stochastic objective (the paper: b)'),
    smoothing: scheduleOption.default(1e-3).describe('length of the probes (the paper: mu)'),
    feasible: z.boolean().default(false).describe('keep every probe inside the set'),
    along: partOption<Directions>('directions', 'begin')
      .default(() => (defaults.along === 'coordinate' ? coordinate() : sphere()))
      .describe('where the probes lie: sphere(), gaussian(), coordinate(), orthogonal()'),
  }
}
