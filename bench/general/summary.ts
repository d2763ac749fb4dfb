import { median } from '../race.ts'
import { groups } from './groups.ts'
import { accuracies } from './oracle.ts'
import type { Row } from './rows.ts'

/** A point of a data profile: accuracy tau within k simplex gradients, d + 1 queries each. */
export type Cell = readonly [tau: number, k: number]

/** The cells that tables show. */
export const tableCells: readonly Cell[] = [
  [1e-1, 10],
  [1e-3, 25],
  [1e-3, 100],
  [1e-5, 100],
  [1e-5, 500],
]

/** A share of problems by three readings; undefined where nothing was run for it. */
export interface Shares {
  /** Some query reached the accuracy. */
  readonly any: number | undefined
  /** The point with the lowest answer did. */
  readonly seen: number | undefined
  /** The point reported by a run with exactly this budget did. */
  readonly reported: number | undefined
}

/** What a method did on a group. */
export interface Standing {
  readonly solver: string
  readonly own: boolean
  readonly problems: number
  readonly seeds: number
  readonly cells: readonly (Shares & { readonly tau: number; readonly k: number })[]
  /** By problem, the median over seeds of (best - lowest) / (initial - lowest), for the best query and the reported point. */
  readonly remainders: Readonly<Record<string, { readonly best: number; readonly reported: number }>>
  /** Microseconds per query, the median over runs. */
  readonly microseconds: number
  /** Queries outside the bounds, of all queries. */
  readonly outside: number
  /** Runs that ended with an error. */
  readonly failed: number
}

/** The methods on one group, those of this library first, then by how much they solve. */
export interface GroupSummary {
  readonly group: string
  readonly title: string
  readonly problems: number
  readonly standings: readonly Standing[]
}

/** Adds up all rows, group by group in the usual order. */
export function summarize(rows: readonly Row[]): GroupSummary[] {
  return Object.entries(groups).flatMap(([group, { title }]) => {
    const members = rows.filter((row) => row.group === group)
    if (members.length === 0) return []
    const solvers = grouped(members, ({ solver }) => solver)
    const standings = solvers.map(standing).sort((a, b) => Number(b.own) - Number(a.own) || level(b) - level(a))
    return [{ group, title, problems: Math.max(...standings.map(({ problems }) => problems)), standings }]
  })
}

function level({ cells }: Standing): number {
  return cells.reduce((total, { any }) => total + (any ?? 0), 0)
}

function standing(rows: readonly Row[]): Standing {
  const whole = rows.filter((row) => row.whole)
  const [first] = rows as readonly [Row, ...Row[]]
  const problems = grouped(whole, ({ problem }) => problem)
  return {
    solver: first.solver,
    own: first.own,
    problems: problems.length,
    seeds: new Set(whole.map(({ seed }) => seed)).size,
    cells: tableCells.map(([tau, k]) => ({ tau, k, ...shares(rows, [tau, k]) })),
    remainders: Object.fromEntries(problems.map((runs) => [(runs[0] as Row).problem, remainders(runs)])),
    microseconds: median(whole.map(({ microseconds }) => microseconds)),
    outside: rows.reduce((total, row) => total + row.outside, 0),
    failed: rows.filter(({ note }) => note.startsWith('failed')).length,
  }
}

function remainders(runs: readonly Row[]) {
  const left = (value: number, { initial, lowest }: Row): number => (value - lowest) / (initial - lowest)
  return {
    best: median(runs.map((row) => left(row.best, row))),
    reported: median(runs.map((row) => left(row.reported, row))),
  }
}

/** The share of problems that a method's runs solved: the mean over problems of the mean over seeds. */
export function shares(rows: readonly Row[], [tau, k]: Cell): Shares {
  const whole = rows.filter((row) => row.whole)
  const index = accuracies.indexOf(tau as (typeof accuracies)[number])
  const within = (when: number | undefined, { dim }: Row): boolean => when !== undefined && when <= k * (dim + 1)
  const isWorth = ({ reported, initial, lowest }: Row): boolean => reported <= lowest + tau * (initial - lowest)
  return {
    any: meanOverProblems(whole, (row) => within(row.hits[index], row)),
    seen: meanOverProblems(whole, (row) => within(row.seenHits[index], row)),
    reported: meanOverProblems(
      rows.filter(({ budget, dim }) => budget === k * (dim + 1)),
      isWorth,
    ),
  }
}

function meanOverProblems(rows: readonly Row[], holds: (row: Row) => boolean): number | undefined {
  if (rows.length === 0) return undefined
  const problems = grouped(rows, ({ problem }) => problem)
  return mean(problems.map((runs) => mean(runs.map((row) => Number(holds(row))))))
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0) / numbers.length
}

/** Lists of what has the same key, in the order in which keys come up. */
export function grouped<T>(list: readonly T[], keyOf: (item: T) => string): readonly (readonly T[])[] {
  const found = new Map<string, T[]>()
  for (const item of list) {
    const key = keyOf(item)
    const members = found.get(key)
    if (members === undefined) found.set(key, [item])
    else members.push(item)
  }
  return [...found.values()]
}
