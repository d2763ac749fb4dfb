import type { ZerothError } from '../../core/errors.ts'
import { type Child, detailsOf, type Ending, startChild } from './child.ts'
import {
  type Asker,
  elsewhere,
  noReply,
  openQuestion,
  type Question,
  type Reply,
  type Request,
  readReply,
} from './message.ts'
import { type FailureDetails, type Program, truncated } from './program.ts'

/** Milliseconds in which a process should end by itself once its standard input has ended. */
const farewell = 400

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
      line: (text) => this.#hear(text),
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
    const timer = setTimeout(this.#noteEnd, farewell)
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

  #hear(text: string): void {
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
    return this.#program.failure(what, { lastWords: this.#child.lastWords(), ...details })
  }
}

function shown(text: string, program: Program): string {
  return truncated(program.redact(text), 80)
}
