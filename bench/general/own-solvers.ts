import { box, type Solver as Method, minimize, parts, type Result } from '../../src/index.ts'
import type { Solver, Task } from './solver.ts'

/** `minimize` without a solver: what a user gets who chooses nothing. */
export const automatic = 'auto'

/** Methods measured unless others are named; those that the library does not have are left out. */
export const usualMethods = [automatic, 'quasi-newton', 'trust-region', 'cma-es', 'nearest-boundary', 'zo-adamm']

/** The method of that name, or undefined if the library has none. */
export function ownSolver(name: string): Solver | undefined {
  const found = (parts.solver as readonly Named[]).find((each) => each.definition.name === name)
  if (found === undefined && name !== automatic) return undefined
  const method = name === automatic ? undefined : found
  return {
    name,
    own: true,
    random: true,
    largest: Infinity,
    async run({ problem, budget, seed, timeLimit }: Task, oracle) {
      const stop = new AbortController()
      const began = performance.now()
      const f = (x: Float64Array): number => {
        if (performance.now() - began > timeLimit) stop.abort()
        return oracle.query(x)
      }
      const result: Result = await minimize(f, problem.start, {
        maxQueries: budget,
        seed,
        signal: stop.signal,
        ...(problem.box === undefined ? {} : { set: box(problem.box) }),
        ...(method === undefined ? {} : { solver: method() as Method }),
      })
      return { point: result.point, note: result.stopReason }
    },
    close: () => undefined,
  }
}

interface Named {
  (): object
  readonly definition: { readonly name: string }
}
