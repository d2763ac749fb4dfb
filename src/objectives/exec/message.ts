import { messageOf, type ZerothError } from '../../core/errors.ts'
import { onAbort } from '../../core/on-abort.ts'
import { originalRow } from '../../core/some-rows.ts'
import { callAfter } from '../../core/timer.ts'
import type { Queries } from '../../core/types.ts'
import { shownReply } from '../../remote/exact-json.ts'
import type { FailureDetails } from './program.ts'

/** One query as the program is asked it. */
export interface Request {
  readonly id: number
  readonly line: string
}

/** What a line of the program says: a value, or why there is none; without an id it answers the open request. */
export interface Reply {
  readonly id: unknown
  /** Anything: what is no number is refused where it is recorded. */
  readonly value?: unknown
  readonly error?: string
  /** For a reply without a value: what it is instead. */
  readonly instead?: string
}

/** Where a line that is not a reply belongs. */
export const elsewhere = ' (messages belong on standard error)'

/** Says of a line that it is not a reply, and what would be one. */
export function noReply(line: string, shown: string): string {
  const hint = line.startsWith('{') ? ' (a reply has the field value or error)' : elsewhere
  return `that is not a reply: ${JSON.stringify(shown)}${hint}`
}

/** A row as a line of JSON. Every coordinate is written as a floating-point number, zero with its sign. */
export function requestOf(
  id: number,
  queries: Queries,
  row: number,
  x: Float64Array,
  names?: readonly string[],
): Request {
  queries.write(row, x)
  const numbers = Array.from(x, floatText)
  const named = names?.map((name, i) => `${JSON.stringify(name)}:${numbers[i]}`).join(',')
  const head = `{"id":${id},"x":[${numbers.join(',')}]${named === undefined ? '' : `,"variables":{${named}}`}`
  const tail = `"sample":${queries.sample(row)},"iteration":${queries.key.iteration},"row":${originalRow(queries, row)}}`
  return { id, line: `${head},${tail}\n` }
}

/** The shortest text that reads back as the same number, never as an integer: Python would reckon with it exactly. */
function floatText(value: number): string {
  if (Object.is(value, -0)) return '-0.0'
  const text = String(value)
  if (!Number.isFinite(value)) return `"${text}"`
  return /[.e]/.test(text) ? text : `${text}.0`
}

const plainNumber = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i
const bareSpecial = /("value"\s*:\s*)([-+]?(?:nan|inf(?:inity)?))(?=\s*[,}])/i

/** Reads a line of the program: a number, or an object with a value or an error. Undefined where it is neither. */
export function readReply(line: string): Reply | undefined {
  const number = readNumber(line)
  if (number !== undefined) return { id: undefined, value: number }
  const said = parseJson(line) ?? parseJson(line.replace(bareSpecial, '$1"$2"'))
  if (typeof said === 'string' && readNumber(said) !== undefined) return { id: undefined, value: readNumber(said) }
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return undefined
  const { id, value, error } = said as Record<string, unknown>
  if (error !== undefined && error !== null)
    return { id, error: typeof error === 'string' ? error : JSON.stringify(error) }
  if (value === undefined) return id === undefined ? undefined : { id, instead: shownReply(said) }
  return { id, value: typeof value === 'string' ? (specialNumber(value) ?? value) : value }
}

function readNumber(text: string): number | undefined {
  return plainNumber.test(text) ? Number(text) : specialNumber(text)
}

/** What JSON has no numbers for, as the usual languages print it. */
function specialNumber(text: string): number | undefined {
  if (/^[-+]?nan$/i.test(text)) return Number.NaN
  if (/^\+?inf(inity)?$/i.test(text)) return Infinity
  return /^-inf(inity)?$/i.test(text) ? -Infinity : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Puts requests to a program, one at a time. */
export interface Asker {
  /** What the program says to it. Rejects where it says nothing in time or nothing that can be understood. */
  ask(request: Request, signal: AbortSignal): Promise<Reply>
  /** Ends what is running, with no request open; asking again starts anew. */
  close(): Promise<void>
}

/** A request that waits for its reply. Whatever comes first settles it: a reply, a failure, the time or the signal. */
export interface Question {
  readonly id: number
  readonly settled: Promise<Reply>
  answer(reply: Reply): void
  fail(error: ZerothError): void
}

/** Opens a question. `failure` makes the error where the time is up or the signal fires. */
export function openQuestion(
  id: number,
  timeout: number,
  signal: AbortSignal,
  failure: (what: string, details?: FailureDetails) => ZerothError,
): Question {
  let answer: Question['answer'] = () => undefined
  let fail: Question['fail'] = () => undefined
  const reply = new Promise<Reply>((resolve, reject) => {
    answer = resolve
    fail = reject
  })
  const late = (): void => fail(failure(`did not answer within ${timeout} ms`, { timedOut: true }))
  // An answer that is there already counts, even if this program was too busy to read it.
  const timer = callAfter(timeout, () => setImmediate(late))
  const unfollow = onAbort(signal, () =>
    fail(failure(`was stopped: ${messageOf(signal.reason)}`, { retryable: false })),
  )
  const settled = reply.finally(() => {
    clearTimeout(timer)
    unfollow()
  })
  return { id, settled, answer: (reply) => answer(reply), fail: (error) => fail(error) }
}
