import { originOf } from '../core/part.ts'
import type { Phase, Solver } from '../core/types.ts'
import type { AttackAccount } from './account.ts'
import type { TriedMethod } from './records.ts'

/** The methods of one run of an attack: those a method says it put in a row, or the method itself, by its name. */
export function triedMethods(
  solver: Solver | undefined,
  { phases }: { readonly phases?: readonly Phase[] | undefined },
  before: number,
  { queries, tracks }: Pick<AttackAccount, 'queries' | 'tracks'>,
): TriedMethod[] {
  const name = (solver === undefined ? undefined : originOf(solver)?.name) ?? 'a method of your own'
  const parts = phases === undefined || phases.length === 0 ? [{ method: name, queries: queries - before }] : phases
  const first = tracks[0]?.first?.queries ?? Infinity
  let asked = before
  return parts.map(({ method, queries: own }) => {
    const from = asked
    asked += own
    return { method, queries: own, fooled: first > from && first <= asked }
  })
}
