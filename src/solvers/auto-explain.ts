import type { ConvexSet } from '../core/types.ts'
import { type Choice, firstChoice, nextChoice, type Situation, setKindOf } from './auto-rule.ts'

/** What `auto` would do: the methods in their order, where answers are exact and where they vary. */
export interface Explanation {
  readonly dim: number
  readonly queries: number
  readonly set: Situation['set']
  readonly exact: readonly Choice[]
  readonly noisy: readonly Choice[]
}

/** What `auto` would choose for a problem, and why, without asking it anything. `once`: it ends at the first minimum. */
export function explainAuto(of: {
  dim: number
  queries: number
  set: ConvexSet
  once?: boolean | undefined
}): Explanation {
  const { dim, queries, once = false } = of
  const set = setKindOf(of.set)
  const planned = (noisy: boolean): Choice[] => {
    const situation = { dim, queries: queries - 1, noisy, set, once }
    const choices = [firstChoice(situation)]
    for (let last = choices[0]; last !== undefined; ) {
      last = nextChoice(last.method, situation, Math.min(last.until, queries))
      if (last !== undefined) choices.push(last)
    }
    return choices
  }
  return { dim, queries, set, exact: planned(false), noisy: planned(true) }
}
