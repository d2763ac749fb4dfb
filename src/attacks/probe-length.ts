import type { ScheduleOption } from '../core/options.ts'
import { originOf } from '../core/part.ts'
import { scheduleOf } from '../core/schedule.ts'
import type { Solver } from '../core/types.ts'

/** How long the probes of a method are at first, and the option of the method that says so. */
export interface ProbeLength {
  readonly length: number
  /** As in `solver.nearer.smoothing`. */
  readonly option: string
  /** The method or the estimator that has the option. */
  readonly owner: string
}

/** The option of methods, and of estimators inside them, that is the length of probes. */
const key = 'smoothing'

/** The length of the probes of a method, or of the first method or estimator inside it that has one; undefined without any. */
export function probeLength(solver: Solver, dim: number): ProbeLength | undefined {
  return lengthIn(solver, 'solver', dim)
}

function lengthIn(part: object, path: string, dim: number): ProbeLength | undefined {
  const options = (originOf(part)?.options ?? {}) as Record<string, unknown>
  const own = options[key]
  if (own !== undefined) {
    const owner = originOf(part)?.name ?? ''
    return { length: scheduleOf(own as ScheduleOption)(1, dim), option: `${path}.${key}`, owner }
  }
  for (const [name, value] of Object.entries(options)) {
    if (typeof value !== 'object' || value === null) continue
    const found = lengthIn(value, `${path}.${name}`, dim)
    if (found !== undefined) return found
  }
  return undefined
}
