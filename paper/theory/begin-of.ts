import { type Begin, createSession, descent, plain, type SessionOptions } from '../../src/index.ts'
import { exactGradient } from './exact-gradient.ts'

/** What the parts of such a run would be given: for checks that put a single part to work by hand. */
export function beginOf(dim: number, options: Omit<SessionOptions, 'solver'> = {}): Begin {
  const given: Begin[] = []
  const idle = descent({ estimator: exactGradient((x) => new Float64Array(x.length)), step: plain() })
  const solver = {
    begin(at: Begin) {
      given.push(at)
      return idle.begin(at)
    },
  }
  createSession(new Float64Array(dim), { ...options, solver })
  return given[0] as Begin
}
