import { createSession, descent, plain, type RunContext, type SessionOptions } from '../../src/index.ts'
import { exactGradient } from './exact-gradient.ts'

/** What the parts of such a run would be given: for checks that put a single part to work by hand. */
export function beginOf(dim: number, options: Omit<SessionOptions, 'solver'> = {}): RunContext {
  const given: RunContext[] = []
  const idle = descent({ estimator: exactGradient((x) => new Float64Array(x.length)), step: plain() })
  const solver = {
    start(at: RunContext) {
      given.push(at)
      return idle.start(at)
    },
  }
  createSession(new Float64Array(dim), { ...options, solver })
  return given[0] as RunContext
}
