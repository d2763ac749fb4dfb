import { closeSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { type ErrorCode, ZerothError } from '../core/errors.ts'
import { exactNumber, storedNumber } from '../core/exact-json.ts'
import { flag, Issue, listOf, number, numberWithin, optional, table, text } from '../core/options.ts'
import type { CallRecord } from './logged.ts'

/** A file that queries are appended to, for `logged`. */
export interface CallLogFile {
  write(record: CallRecord): void
  /** Closes the file; may be called twice. */
  close(): void
}

/** Opens a call log, one line of JSON per query; an existing one is continued. Every record is in the file at once. */
export function callLogFile(path: string): CallLogFile {
  let file: number | undefined = openLog(path)
  return {
    write(record) {
      const open = file
      if (open === undefined) throw new ZerothError('wrong-order', `the call log ${path} is closed`)
      attempt('storage-failed', `write to the call log ${path}`, () => writeFileSync(open, `${encodeRecord(record)}\n`))
    },
    close() {
      const open = file
      file = undefined
      if (open !== undefined) attempt('storage-failed', `close the call log ${path}`, () => closeSync(open))
    },
  }
}

/** The records of a call log, one after the other. */
export async function* readCallLog(path: string): AsyncGenerator<CallRecord, void, void> {
  const file = await open(path).catch((error: unknown) => {
    throw new ZerothError('invalid-data', `cannot open the call log ${path}: ${(error as Error).message}`)
  })
  let line = 0
  for await (const text of file.readLines()) yield decodeRecord(text, `${path}, line ${++line}`)
}

function encodeRecord({ iteration, row, sample, point, value, failed, cached }: CallRecord): string {
  const why = failed === undefined ? '' : `,"failed":${JSON.stringify(failed)}`
  const numbers = Array.from(point, exactNumber).join(',')
  const where = `"iteration":${iteration},"row":${row},"sample":${sample}`
  return `{${where},"point":[${numbers}],"value":${exactNumber(value)}${why},"cached":${cached}}`
}

const integer = numberWithin({}, true)

const callRecord = table({
  iteration: integer,
  row: integer,
  sample: number,
  point: listOf(storedNumber),
  value: storedNumber,
  failed: optional(text),
  cached: flag,
})

function decodeRecord(line: string, where: string): CallRecord {
  const wrong = (cause: unknown) => new ZerothError('invalid-data', `${where} is not a record of a query`, { cause })
  let read: unknown
  try {
    read = JSON.parse(line)
  } catch (error) {
    throw wrong(error)
  }
  const found = callRecord.read(read)
  if (found instanceof Issue) throw wrong(found)
  const { point, failed, ...rest } = found
  return { ...rest, point: Float64Array.from(point), failed }
}

function openLog(path: string): number {
  return attempt('invalid-option', `open the call log ${path}`, () => {
    const file = openSync(path, 'a+')
    endLine(file)
    return file
  })
}

/** Ends a line that a killed process left unfinished, so that it spoils no other. */
function endLine(file: number): void {
  const { size } = fstatSync(file)
  const last = Buffer.alloc(1)
  if (size === 0 || readSync(file, last, 0, 1, size - 1) === 0 || last.toString() === '\n') return
  writeFileSync(file, '\n')
}

function attempt<T>(code: ErrorCode, what: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new ZerothError(code, `cannot ${what}: ${(error as Error).message}`, { cause: error })
  }
}
