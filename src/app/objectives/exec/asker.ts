import { originalRow } from '../../../optimizer/core/answers.ts'
import { callAfter, onAbort } from '../../../optimizer/core/async.ts'
import { messageOf, type ZerothError } from '../../../optimizer/core/errors.ts'
import { shownReply } from '../../../optimizer/core/exact-json.ts'
import type { Queries } from '../../../optimizer/core/types.ts'
import type { NamedVariables } from '../../../optimizer/core/variable-types.ts'
import { type Child, detailsOf, type Ending, startChild } from './child.ts'
import { type FailureDetails, type Program, truncated } from './program.ts'

/** One query as the program is asked it. */
interface Request {
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
const elsewhere = ' (messages belong on standard error)'

/** Says of a line that it is not a reply, and what would be one. */
function noReply(line: string, shown: string): string {
  const hint = line.startsWith('{') ? ' (a reply has the field value or error)' : elsewhere
  return `that is not a reply: ${JSON.stringify(shown)}${hint}`
}

/** A row as a line of JSON. Every coordinate is written as a floating-point number, zero with its sign. */
export function requestOf(
  id: number,
  queries: Queries,
  row: number,
  x: Float64Array,
  variables?: NamedVariables,
): Request {
  queries.write(row, x)
  const numbers = Array.from(x, floatText)
  const head = `{"id":${id},"x":[${numbers.join(',')}]${variables === undefined ? '' : `,"variables":${variables.json(x, floatText)}`}`
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
interface Question {
  readonly id: number
  readonly settled: Promise<Reply>
  answer(reply: Reply): void
  fail(error: ZerothError): void
}

/** Opens a question. `failure` makes the error where the time is up or the signal fires. */
function openQuestion(
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

/** Starts a process per request; the last line it writes is the reply. */
export function oneShotAsker(program: Program): Asker {
  let stopping: Promise<void> = Promise.resolve()

  return {
    async ask({ id, line }, signal) {
      await stopping
      signal.throwIfAborted()
      let last = ''
      const child = startChild(program, {
        line: (text) => (last = text),
        tooLong: () => question.fail(failure(`wrote a line of more than ${program.maxLineBytes} bytes`)),
        over(what, ending) {
          if (ending === 'well') question.answer({ id, value: last })
          else question.fail(failure(what, detailsOf(ending)))
        },
      })
      const failure = (what: string, details?: FailureDetails) =>
        program.failure(what, { stderrTail: child.stderrTail(), ...details })
      const question = openQuestion(id, program.timeout, signal, failure)
      void child.send(line)
      child.finish()
      try {
        await question.settled
        return lastReply(last, id, program)
      } finally {
        stopping = child.stop()
      }
    },
    close: () => stopping,
  }
}

function lastReply(line: string, id: number, program: Program): Reply {
  if (line === '') throw program.failure('wrote nothing to its standard output')
  const reply = readReply(line)
  if (reply === undefined) {
    throw program.failure(`wrote a last line ${noReply(line, truncated(program.redact(line), 80))}`)
  }
  if (reply.id !== undefined && reply.id !== id) throw program.failure(`answered request ${reply.id}, not ${id}`)
  return reply
}

/** Milliseconds in which a process should end by itself once its standard input has ended. */
const gracePeriod = 400

/** Where a program ends well before it has answered, it probably expects one request only. */
const oneShotHint = ' (a program that ends after one query needs mode: "one-shot")'

/**
 * Asks one process after another, each of them as long as it keeps to the rules. One that is late, dead or out of step
 * costs the open request only: it is ended, and the next request starts a fresh one.
 */
export function persistentAsker(program: Program): Asker {
  let running: Conversation | undefined
  let stopping: Promise<void> = Promise.resolve()

  const drop = (): void => {
    const dropped = running
    running = undefined
    if (dropped !== undefined) stopping = Promise.all([stopping, dropped.stop()]).then(() => undefined)
  }

  return {
    async ask(request, signal) {
      if (running?.over === true) drop()
      await stopping
      signal.throwIfAborted()
      running ??= new Conversation(program)
      try {
        return await running.ask(request, signal)
      } catch (error) {
        drop()
        throw error
      }
    },
    async close() {
      await running?.end()
      drop()
      await stopping
    },
  }
}

/** A process, and the request it has open. */
class Conversation {
  readonly #program: Program
  readonly #child: Child
  #question: Question | undefined
  #isSent = false
  /** Something said out of turn: the next request would get a wrong answer, so it gets this. */
  #trouble: ZerothError | undefined
  #isOver = false
  #sending: Promise<void> = Promise.resolve()
  #noteEnd: () => void = () => undefined
  readonly #ended = new Promise<void>((resolve) => {
    this.#noteEnd = resolve
  })

  constructor(program: Program) {
    this.#program = program
    this.#child = startChild(program, {
      line: (text) => this.#onLine(text),
      tooLong: () => this.#misbehave(`wrote a line of more than ${program.maxLineBytes} bytes`),
      deaf: () => this.#question?.fail(this.#failure('does not read its standard input')),
      over: (what, ending) => this.#over(what, ending),
    })
  }

  /** True once the process has ended. */
  get over(): boolean {
    return this.#isOver && this.#trouble === undefined
  }

  async ask({ id, line }: Request, signal: AbortSignal): Promise<Reply> {
    if (this.#trouble !== undefined) throw this.#trouble
    this.#child.hold(true)
    const own = openQuestion(id, this.#program.timeout, signal, (what, details) => this.#failure(what, details))
    this.#question = own
    void this.#send(line)
    try {
      return await own.settled
    } finally {
      this.#question = undefined
      this.#child.hold(false)
    }
  }

  /** Lets it end by itself, if it does so soon. */
  async end(): Promise<void> {
    if (this.#isOver) return
    this.#child.hold(true)
    this.#child.finish()
    const timer = setTimeout(this.#noteEnd, gracePeriod)
    await this.#ended
    clearTimeout(timer)
  }

  stop(): Promise<void> {
    return this.#child.stop()
  }

  /** Only once all of the last request was taken in: one that answers without reading must not fill our memory. */
  async #send(line: string): Promise<void> {
    this.#isSent = false
    await this.#sending
    this.#isSent = true
    this.#sending = this.#child.send(line)
  }

  #onLine(text: string): void {
    const reply = readReply(text)
    if (reply === undefined) this.#misbehave(`wrote a line ${noReply(text, shown(text, this.#program))}`)
    else this.#take(reply, text)
  }

  #take(reply: Reply, text: string): void {
    const asked = this.#isSent ? this.#question : undefined
    if (asked !== undefined && String(reply.id ?? asked.id) === String(asked.id)) {
      // At once: another line in the same breath is not an answer to anything.
      this.#question = undefined
      asked.answer(reply)
    } else if (reply.id === undefined) {
      const said = JSON.stringify(shown(text, this.#program))
      this.#misbehave(`sent a reply without a request: ${said}${elsewhere}`)
    }
  }

  #misbehave(what: string): void {
    this.#trouble ??= this.#failure(what)
    this.#question?.fail(this.#trouble)
    if (this.#question === undefined) void this.stop()
  }

  #over(what: string, ending: Ending): void {
    this.#isOver = true
    this.#noteEnd()
    const hasBegun = ending === 'well' || ending === 'badly'
    const when = hasBegun ? ` before it answered${ending === 'well' ? oneShotHint : ''}` : ''
    this.#question?.fail(this.#failure(`${what}${when}`, detailsOf(ending)))
  }

  #failure(what: string, details?: FailureDetails): ZerothError {
    return this.#program.failure(what, { stderrTail: this.#child.stderrTail(), ...details })
  }
}

function shown(text: string, program: Program): string {
  return truncated(program.redact(text), 80)
}
