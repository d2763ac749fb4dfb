import { grouped } from '../general/summary.ts'
import { median } from '../race.ts'
import { targets } from './problems.ts'
import type { CocoRow } from './rows.ts'

/** Evaluations per variable at which shares are shown. */
export const multiples = [10, 30, 50, 100, 200, 500, 1000] as const

/** How a solver did on one suite in one dimension. */
export interface CocoStanding {
  readonly solver: string
  readonly ours: boolean
  readonly problems: number
  /** Shares of targets reached within so many evaluations per variable; undefined beyond the budget. */
  readonly shares: readonly (number | undefined)[]
  /** Milliseconds of its own per evaluation, the median over runs. */
  readonly milliseconds: number
  /** Runs in which nothing feasible was found, and runs that ended with an error. */
  readonly infeasible: number
  readonly failed: number
}

/** The solvers on one suite in one dimension, best first. */
export interface CocoTable {
  readonly suite: string
  readonly dim: number
  readonly standings: readonly CocoStanding[]
}

/** Adds up all runs. */
export function summarizeCoco(rows: readonly CocoRow[]): CocoTable[] {
  return grouped(rows, ({ suite, dim }) => `${suite} ${String(dim).padStart(3)}`)
    .map((members) => {
      const { suite, dim } = members[0] as CocoRow
      const standings = grouped(members, ({ solver }) => solver).map(standing)
      return { suite, dim, standings: standings.sort((a, b) => total(b) - total(a)) }
    })
    .sort((a, b) => (a.suite === b.suite ? a.dim - b.dim : a.suite < b.suite ? -1 : 1))
}

function standing(rows: readonly CocoRow[]): CocoStanding {
  const { solver, ours, dim } = rows[0] as CocoRow
  const budget = Math.min(...rows.map((row) => row.budget))
  return {
    solver,
    ours,
    problems: rows.length,
    shares: multiples.map((k) => (k * dim <= budget ? shareWithin(rows, k * dim) : undefined)),
    milliseconds: median(rows.map(({ own, evaluations }) => (1000 * own) / Math.max(1, evaluations))),
    infeasible: rows.filter(({ best }) => best === null).length,
    failed: rows.filter(({ note }) => note.startsWith('failed')).length,
  }
}

/** The share of all targets of all problems that were reached within so many evaluations. */
export function shareWithin(rows: readonly CocoRow[], evaluations: number): number {
  const reached = rows.map(({ hits }) => hits.filter((at) => at !== null && at <= evaluations).length)
  return reached.reduce((sum, each) => sum + each, 0) / (rows.length * targets.length)
}

function total({ shares }: CocoStanding): number {
  return shares.reduce((sum: number, share) => sum + (share ?? 0), 0)
}

/**
 * The share of targets that the best of 149 algorithms reaches, another one for every target: what the archive of COCO holds
 * for BBOB, by dimension and evaluations per variable.
 */
export const virtualBest: Readonly<Record<string, Readonly<Record<number, Readonly<Record<number, number>>>>>> = {
  bbob: {
    5: { 10: 0.21, 50: 0.42, 100: 0.56, 500: 0.77, 1000: 0.79 },
    20: { 10: 0.17, 50: 0.32, 100: 0.45, 500: 0.71, 1000: 0.73 },
  },
}
