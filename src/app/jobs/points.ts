import { isObject } from '../../optimizer/core/options.ts'
import type { Value, Variables } from '../../optimizer/core/variable-types.ts'
import { namedVariables } from '../../optimizer/core/variables.ts'
import { commandDetails } from '../objectives/index.ts'
import { type JournalRecord, journalRecords, readOverview } from '../store/index.ts'

/** What became of a query: it has a value, it broke a limit, it failed, or its answer was known already. */
export type PointStatus = 'ok' | 'infeasible' | 'failed' | 'cached'

/** A point that a run has tried. */
export interface TriedPoint {
  /** Counted from 1, in the order of the answers. */
  readonly query: number
  readonly iteration: number
  /** In the order of the names; undefined for what does not matter there. */
  readonly values: readonly (Value | undefined)[]
  /** In own units, of a choice its index: what a table with one number for each variable has. */
  readonly numbers: Float64Array
  /** As people know it: of a maximum, that which is to be large; NaN where there is none. */
  readonly value: number
  readonly status: PointStatus
  /** Why it has no value. */
  readonly reason?: string | undefined
  /** When it was answered, in seconds since the run began. */
  readonly at: number
  /** What was measured beside the value, in the order of `TriedPoints.details`. */
  readonly details: readonly number[]
}

/** All that a run with named variables has tried, oldest first. */
export interface TriedPoints {
  readonly names: readonly string[]
  readonly variables: Variables
  /** The names of what was measured beside the values. */
  readonly details: readonly string[]
  /** Whether larger values are better. */
  readonly maximize: boolean
  readonly points: readonly TriedPoint[]
  /** Queries whose points are not known: those of very long runs. */
  readonly missing: number
}

/** What a run has tried, also one that is at work; undefined if its variables have no names. */
export async function readPoints(folder: string): Promise<TriedPoints | undefined> {
  const { meta } = await readOverview(folder)
  const { variables, objective } = meta.spec
  if (!isObject(variables)) return undefined
  const named = namedVariables(variables as unknown as Variables)
  const dim = named.names.length
  const { name, constraints, maximize = false } = isObject(objective) ? objective : {}
  const limits = Array.isArray(constraints) ? constraints.map(String) : []
  const details = name === 'command' ? [...commandDetails, ...limits] : []
  const sign = name === 'command' && maximize === true ? -1 : 1
  const points: TriedPoint[] = []
  let query = 0
  let missing = 0
  for (const record of journalRecords(folder)) {
    const width = record.notes.length / Math.max(record.rows, 1)
    for (let row = 0; row < record.rows; row++) {
      if ((record.dropped?.[row] ?? 0) !== 0) continue
      query++
      if (width < dim) {
        missing++
        continue
      }
      const own = record.notes.subarray(row * width, row * width + dim)
      const beside = Array.from(record.notes.subarray(row * width + dim, (row + 1) * width))
      points.push({
        query,
        iteration: record.iteration,
        values: named.values(own),
        numbers: own,
        ...outcomeOf(record, row, beside, sign),
        at: record.seconds,
        details: details.map((_, k) => beside[k] ?? Number.NaN),
      })
    }
  }
  return {
    names: named.names,
    variables: variables as unknown as Variables,
    details,
    maximize: sign < 0,
    points,
    missing,
  }
}

type Outcome = Pick<TriedPoint, 'value' | 'status' | 'reason'>

/** Every limit was measured where one of them is broken. */
function outcomeOf(record: JournalRecord, row: number, beside: readonly number[], sign: 1 | -1): Outcome {
  if (record.failed[row] === 1) {
    const [, reason = 'no value'] = record.reasons.find(([of]) => of === row) ?? []
    const measured = beside[0] ?? Number.NaN
    return Number.isNaN(measured)
      ? { value: Number.NaN, status: 'failed', reason }
      : { value: measured, status: 'infeasible', reason }
  }
  const value = record.values[row] as number
  return { value: sign < 0 ? 0 - value : value, status: record.cached[row] === 1 ? 'cached' : 'ok' }
}
