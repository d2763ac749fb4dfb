import { basename } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { ZerothError } from '../index.ts'
import type { RunRecord } from '../trace/index.ts'
import { jsonSafe } from './json-safe.ts'
import { npyBytes } from './npy-bytes.ts'

/** The columns of a history, in the order of every table. */
const columns = ['iteration', 'queries', 'value', 'best', 'seconds'] as const

/** How runs can be written for other programs; several have a column more, which says whose row it is. */
export const exportFormats: Readonly<Record<string, (runs: readonly RunRecord[]) => Uint8Array>> = {
  csv(runs) {
    const rows = runs.flatMap(({ trace, folder }) =>
      Array.from(trace.iteration, (_, i) =>
        [...nameOf(folder, runs), ...columns.map((name) => trace[name][i])].join(','),
      ),
    )
    return Buffer.from(`${[[...nameOf('run', runs), ...columns].join(','), ...rows].join('\n')}\n`)
  },

  json(runs) {
    const all = runs.map(({ folder, meta, status, result, trace }) => {
      const history = Object.fromEntries(columns.map((name) => [name, trace[name]]))
      return { run: basename(folder), status, meta, result, history }
    })
    return Buffer.from(`${JSON.stringify(jsonSafe(all.length === 1 ? all[0] : { runs: all }))}\n`)
  },

  parquet(runs) {
    const numbers = columns.map((name) => {
      const data = runs.flatMap(({ trace }) => Array.from(trace[name]))
      return { name, data: Float64Array.from(data), type: 'DOUBLE' as const }
    })
    const names = runs.flatMap(({ folder, trace }) => new Array<string>(trace.iteration.length).fill(basename(folder)))
    const run = runs.length > 1 ? [{ name: 'run', data: names, type: 'STRING' as const }] : []
    return new Uint8Array(parquetWriteBuffer({ columnData: [...run, ...numbers] }))
  },

  npy(runs) {
    const points = runs.map(({ result, folder }) => {
      if (result !== undefined) return result.point
      throw new ZerothError('invalid-data', `${folder} has no result yet: its best point is not known`)
    })
    const [dim = 0] = points.map(({ length }) => length)
    if (points.some(({ length }) => length !== dim)) {
      const dims = [...new Set(points.map(({ length }) => length))].join(', ')
      throw new ZerothError('invalid-data', `npy: the points must have equally many variables, got ${dims}`)
    }
    return npyBytes(points.flat(), runs.length > 1 ? [runs.length, dim] : [dim])
  },
}

function nameOf(folder: string, runs: readonly unknown[]): string[] {
  return runs.length > 1 ? [basename(folder)] : []
}
