import { show, ZerothError } from './errors.ts'
import type { ScheduleOption } from './options.ts'
import type { Schedule } from './types.ts'

/** The same value in every iteration. */
export function constant(value: number): Schedule {
  return named(`constant(${value})`, () => value)
}

/** value / sqrt(t): the paper's alpha_t, and one way to shrink the smoothing radius. */
export function inverseSqrt(value: number): Schedule {
  return named(`inverseSqrt(${value})`, (iteration) => value / Math.sqrt(iteration))
}

/** value / t: the paper's beta_{1,t} in Proposition 4. */
export function inverse(value: number): Schedule {
  return named(`inverse(${value})`, (iteration) => value / iteration)
}

/** mu = 1 / sqrt(dT): what the paper's Propositions 2 and Theorems 1 and 2 ask for. */
export function smoothingForHorizon(problem: { dim: number; iterations: number }): number {
  return 1 / Math.sqrt(problem.dim * problem.iterations)
}

/**
 * The smoothing radius that balances noise against curvature: 2 sqrt(noise / curvature) for forward differences,
 * (3 noise / curvature)^(1/3) for central ones, where curvature bounds the second or the third derivative.
 */
export function smoothingForNoise(of: { noise: number; curvature: number; difference: 'forward' | 'central' }): number {
  return of.difference === 'forward' ? 2 * Math.sqrt(of.noise / of.curvature) : Math.cbrt((3 * of.noise) / of.curvature)
}

/** Reads a schedule option; a bare number follows `decay`. */
export function scheduleOf(option: ScheduleOption | 0, decay: 'none' | 'sqrt' | 'linear' = 'none'): Schedule {
  if (typeof option === 'function') return (iteration, dim) => checkedValue(option(iteration, dim), iteration)
  const { value, decay: shape = 'none' } = typeof option === 'number' ? { value: option, decay } : option
  return { none: constant, sqrt: inverseSqrt, linear: inverse }[shape](value)
}

/** A schedule that says what it is: checkpoints compare schedules by their text. */
function named(text: string, schedule: Schedule): Schedule {
  return Object.assign(schedule, { toString: () => text })
}

/** What a user's function gives is known only when it is called: one bad value would spoil the state of the run. */
function checkedValue(value: number, iteration: number): number {
  if (Number.isFinite(value) && value >= 0) return value
  const given = `got ${show(value)} in iteration ${iteration}`
  throw new ZerothError('invalid-option', `a schedule must give finite numbers of at least 0, ${given}`)
}
