import { closeSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { z } from 'zod'
import { type ErrorCode, ZerothError } from '../core/errors.ts'
import type { CallRecord } from './call-record.ts'

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

/** Numbers as JSON that gives back the same bits in any language; it has no NaN and no infinities, so these are text. */
function encodeNumber(value: number): string {
  if (Object.is(value, -0)) return '-0.0'
  return Number.isFinite(value) ? String(value) : `"${value}"`
}

function encodeRecord({ iteration, row, sample, point, value, failed, cached }: CallRecord): string {
  const why = failed === undefined ? '' : `,"failed":${JSON.stringify(failed)}`
  const numbers = Array.from(point, encodeNumber).join(',')
  const where = `"iteration":${iteration},"row":${row},"sample":${sample}`
  return `{${where},"point":[${numbers}],"value":${encodeNumber(value)}${why},"cached":${cached}}`
}

const number = z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity']).transform(Number)])

const callRecord = z.strictObject({
  iteration: z.int(),
  row: z.int(),
  sample: z.number(),
  point: z.array(number),
  value: number,
  failed: z.string().optional(),
  cached: z.boolean(),
})

function decodeRecord(text: string, where: string): CallRecord {
  try {
    const { point, failed, ...rest } = callRecord.parse(JSON.parse(text))
    return { ...rest, point: Float64Array.from(point), failed }
  } catch (error) {
    throw new ZerothError('invalid-data', `${where} is not a record of a query`, { cause: error })
  }
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
