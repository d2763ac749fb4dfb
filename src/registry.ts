import type { Table } from './optimizer/core/options.ts'
import type { Part } from './optimizer/core/part.ts'
import type { Basis, ConvexSet, Directions, Estimator, Mirror, Solver, Step } from './optimizer/core/types.ts'
import type { TestProblem } from './optimizer/objectives/problems/test-problem.ts'
import * as library from './parts.ts'

/** Any part of the library. */
export type AnyPart = Part<Table, object>

/** What the parts of each kind make. Black boxes, models and forms of attacks have lists of their own. */
interface Made {
  readonly basis: Basis
  readonly directions: Directions
  readonly estimator: Estimator
  readonly step: Step
  readonly mirror: Mirror
  readonly set: ConvexSet
  readonly solver: Solver
  readonly problem: TestProblem
}

type Parts = { readonly [kind in keyof Made]: readonly Part<Table, Made[kind]>[] }

const kinds = ['basis', 'directions', 'estimator', 'step', 'mirror', 'set', 'solver', 'problem'] as const

/** Every part of the library, by kind, in the order of their names. */
export const parts: Parts = /* @__PURE__ */ byKind()

function byKind(): Parts {
  const named = Object.entries<unknown>(library) as [string, AnyPart][]
  const all = named.sort(([a], [b]) => a.localeCompare(b, 'en')).map(([, part]) => part)
  const lists = kinds.map((kind) => [kind, all.filter(({ definition }) => definition.kind === kind)])
  return Object.fromEntries(lists)
}
