import { grouped } from '../general/summary.ts'
import { median } from '../race.ts'
import { type Cell, cellOf, cells } from './cells.ts'
import { whiteBox } from './peers.ts'
import type { Row } from './rows.ts'
import { marks } from './tracker.ts'

/** What a method did on a cell. */
export interface Standing {
  readonly solver: string
  readonly own: boolean
  readonly version: string
  readonly images: number
  readonly seeds: number
  readonly runs: number
  /** The share of runs that succeeded. */
  readonly success: number
  /** Queries to the first success, the mean over the runs that succeeded; NaN where none did. */
  readonly firstQueries: number
  /** The same over all runs, one without success counted with the whole budget. */
  readonly cappedQueries: number
  /** The mean squared distance in the end, over the runs that succeeded. */
  readonly square: number
  /** How many times as far as the white-box limit it ends, in the geometric mean; NaN if that is not known. */
  readonly ratio: number
  /** By checkpoint. */
  readonly at: readonly { readonly queries: number; readonly success: number; readonly l2: number }[]
  /** Rows at the network per run. */
  readonly queries: number
  readonly seconds: number
  /** Runs that ended with an error. */
  readonly failed: number
}

/** The methods on one cell, those of this library first, then by how far they come. */
export interface CellSummary {
  readonly name: string
  readonly cell: Cell
  readonly images: number
  readonly standings: readonly Standing[]
}

/** Adds up all rows, cell by cell in the usual order. */
export function summarize(rows: readonly Row[]): CellSummary[] {
  const onNetworks = rows
    .map(({ cell }) => cell)
    .filter((name) => cells[name] === undefined && cellOf(name) !== undefined)
  return [...Object.keys(cells), ...[...new Set(onNetworks)].sort()].flatMap((name) => {
    const cell = cellOf(name) as Cell
    const members = rowsOf(name, rows)
    if (!members.some((row) => row.cell === name)) return []
    const limits = members.filter(({ solver }) => solver === whiteBox)
    const standings = grouped(members, ({ solver }) => solver)
      .map((runs) => standing(cell, runs, limits))
      .sort((a, b) => Number(b.own) - Number(a.own) || rank(cell, a) - rank(cell, b))
    return [{ name, cell, images: Math.max(...standings.map(({ images }) => images)), standings }]
  })
}

/** The runs that count for a cell: its own, and those of peers that make the same queries in another one. */
export function rowsOf(name: string, rows: readonly Row[]): Row[] {
  const { budget, peersOf } = cellOf(name) as Cell
  const shared = peersOf === undefined ? undefined : cellOf(peersOf)
  return rows.filter(
    (row) =>
      (row.cell === name && row.budget === budget) ||
      (row.cell === peersOf && !row.own && row.budget === shared?.budget && row.budget >= budget),
  )
}

function standing(cell: Cell, runs: readonly Row[], limits: readonly Row[]): Standing {
  const { solver, own, version } = runs[0] as Row
  return {
    solver,
    own,
    version,
    images: new Set(runs.map(({ image }) => image)).size,
    seeds: new Set(runs.map(({ seed }) => seed)).size,
    runs: runs.length,
    success: successWithin(runs, cell.budget),
    firstQueries: firstQueries(runs, cell.budget),
    cappedQueries: cappedQueries(runs, cell.budget),
    square: meanSquare(runs, cell.budget),
    ratio: distanceRatio(runs, limits, cell.budget),
    at: cell.checkpoints.map((queries) => ({
      queries,
      success: successWithin(runs, queries),
      l2: medianDistance(runs, queries),
    })),
    queries: mean(runs.map(({ queries }) => queries)),
    seconds: mean(runs.map(({ seconds }) => seconds)),
    failed: runs.filter(({ note }) => note.startsWith('failed')).length,
  }
}

/** Lower is better: the distance in the end, or queries, after how often it succeeds. */
function rank(cell: Cell, { success, firstQueries: first, at }: Standing): number {
  const last = cell.limit === undefined ? (at.at(-1)?.l2 ?? Infinity) : first
  return -1e6 * success + (Number.isFinite(last) ? last : 1e5)
}

/** The share of runs with a success within so many queries. */
export function successWithin(runs: readonly Row[], queries: number): number {
  return mean(runs.map(({ first }) => Number(first !== undefined && first <= queries)))
}

/** Queries to the first success, the mean over the runs that have one within so many. */
export function firstQueries(runs: readonly Row[], queries: number): number {
  return mean(runs.flatMap(({ first }) => (first !== undefined && first <= queries ? [first] : [])))
}

/** Queries to the first success within a budget, the mean over all runs: those without one have spent it. */
function cappedQueries(runs: readonly Row[], budget: number): number {
  return mean(runs.map(({ first = budget }) => Math.min(first, budget)))
}

/** The distance of the nearest success after so many queries; infinite without one. */
function distanceAt({ best }: Pick<Row, 'best'>, queries: number): number {
  return best[marks.indexOf(queries)] ?? Infinity
}

/** The median over runs of the distance after so many queries; infinite where half of them have no success. */
export function medianDistance(runs: readonly Row[], queries: number): number {
  const distances = runs.map((run) => distanceAt(run, queries)).sort((a, b) => a - b)
  // The mean of two infinite middles would be none.
  return distances[distances.length >> 1] === Infinity ? Infinity : median(distances)
}

/** The mean of the squared distances after so many queries, over the runs with a success. */
export function meanSquare(runs: readonly Row[], queries: number): number {
  return mean(runs.map((run) => distanceAt(run, queries) ** 2).filter(Number.isFinite))
}

/** How many times as far as the reference the nearest successes are: the geometric mean over the images that both have. */
export function distanceRatio(runs: readonly Row[], reference: readonly Row[], queries: number): number {
  const limits = new Map(reference.map(({ image, best }) => [image, best.at(-1) ?? Infinity]))
  const ratios = runs.map((run) => Math.log(distanceAt(run, queries) / (limits.get(run.image) ?? Infinity)))
  return Math.exp(mean(ratios.filter(Number.isFinite)))
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length
}
