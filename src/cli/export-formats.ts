import { parquetWriteBuffer } from 'hyparquet-writer'
import { ZerothError } from '../index.ts'
import type { RunRecord } from '../trace/index.ts'
import { jsonSafe } from './json-safe.ts'

/** The columns of a history, in the order of every table. */
const columns = ['iteration', 'queries', 'value', 'best', 'seconds'] as const

/** How a run can be written for other programs. */
export const exportFormats = { csv, json, parquet, npy } as const

/** A run in one of the formats. */
export function exported(run: RunRecord, format: keyof typeof exportFormats): Uint8Array {
  return exportFormats[format](run)
}

function csv({ trace }: RunRecord): Uint8Array {
  const rows = Array.from({ length: trace.iteration.length }, (_, i) => columns.map((name) => trace[name][i]).join(','))
  return Buffer.from(`${[columns.join(','), ...rows].join('\n')}\n`)
}

function json({ meta, status, result, trace }: RunRecord): Uint8Array {
  const history = Object.fromEntries(columns.map((name) => [name, Array.from(trace[name])]))
  return Buffer.from(`${JSON.stringify(jsonSafe({ meta, status, result, history }))}\n`)
}

function parquet({ trace }: RunRecord): Uint8Array {
  const columnData = columns.map((name) => ({ name, data: Float64Array.from(trace[name]), type: 'DOUBLE' as const }))
  return new Uint8Array(parquetWriteBuffer({ columnData }))
}

/** The best point, as numpy.load reads it (format 1.0). */
function npy({ result, folder }: RunRecord): Uint8Array {
  if (result === undefined)
    throw new ZerothError('invalid-data', `${folder} has no result yet: its best point is not known`)
  const description = `{'descr': '<f8', 'fortran_order': False, 'shape': (${result.point.length},), }`
  const header = description.padEnd(64 * Math.ceil((description.length + 11) / 64) - 11)
  const length = header.length + 1
  const start = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, length & 255, length >> 8])
  const numbers = new DataView(new ArrayBuffer(8 * result.point.length))
  result.point.forEach((each, i) => {
    numbers.setFloat64(8 * i, each, true)
  })
  return Buffer.concat([start, Buffer.from(`${header}\n`), new Uint8Array(numbers.buffer)])
}
