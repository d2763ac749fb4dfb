import type { ZerothError } from '../../core/errors.ts'
import { type Child, detailsOf, startChild } from './child.ts'
import { type Asker, elsewhere, noReply, openQuestion, type Question, type Reply, readReply } from './message.ts'
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
      running ??= converse(program)
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

interface Conversation extends Pick<Asker, 'ask'> {
  /** True once the process has ended. */
  readonly over: boolean
  /** Lets it end by itself, if it does so soon. */
  end(): Promise<void>
  stop(): Promise<void>
}

function converse(program: Program): Conversation {
  let question: Question | undefined
  let isSent = false
  /** Something said out of turn: the next request would get a wrong answer, so it gets this. */
  let trouble: ZerothError | undefined
  let isOver = false
  let sending: Promise<void> = Promise.resolve()
  let noteEnd: () => void = () => undefined
  const ended = new Promise<void>((resolve) => {
    noteEnd = resolve
  })

  const failure = (what: string, details?: FailureDetails): ZerothError =>
    program.failure(what, { lastWords: child.lastWords(), ...details })
  const misbehave = (what: string): void => {
    trouble ??= failure(what)
    question?.fail(trouble)
    if (question === undefined) void child.stop()
  }

  const take = (reply: Reply, text: string): void => {
    const asked = isSent ? question : undefined
    if (asked !== undefined && String(reply.id ?? asked.id) === String(asked.id)) {
      // At once: another line in the same breath is not an answer to anything.
      question = undefined
      asked.answer(reply)
    } else if (reply.id === undefined) {
      misbehave(`wrote a reply that nobody asked for: ${JSON.stringify(shown(text, program))}${elsewhere}`)
    }
  }

  const child: Child = startChild(program, {
    line(text) {
      const reply = readReply(text)
      if (reply === undefined) misbehave(`wrote a line ${noReply(text, shown(text, program))}`)
      else take(reply, text)
    },
    tooLong: () => misbehave(`wrote a line of more than ${program.maxLineBytes} bytes`),
    deaf: () => question?.fail(failure('does not read its standard input')),
    over(what, ending) {
      isOver = true
      noteEnd()
      const hasBegun = ending === 'well' || ending === 'badly'
      const when = hasBegun ? ` before it answered${ending === 'well' ? oneShotHint : ''}` : ''
      question?.fail(failure(`${what}${when}`, detailsOf(ending)))
    },
  })

  /** Only once all of the last request was taken in: one that answers without reading must not fill our memory. */
  const send = async (line: string): Promise<void> => {
    isSent = false
    await sending
    isSent = true
    sending = child.send(line)
  }

  return {
    get over() {
      return isOver && trouble === undefined
    },
    async ask({ id, line }, signal) {
      if (trouble !== undefined) throw trouble
      child.hold(true)
      const own = openQuestion(id, program.timeout, signal, failure)
      question = own
      void send(line)
      try {
        return await own.settled
      } finally {
        question = undefined
        child.hold(false)
      }
    },
    async end() {
      if (isOver) return
      child.hold(true)
      child.finish()
      const timer = setTimeout(noteEnd, farewell)
      await ended
      clearTimeout(timer)
    },
    stop: () => child.stop(),
  }
}

function shown(text: string, program: Program): string {
  return truncated(program.redact(text), 80)
}
