import { detailsOf, startChild } from './child.ts'
import { type Asker, noReply, openQuestion, type Reply, readReply } from './message.ts'
import { type FailureDetails, type Program, truncated } from './program.ts'

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
        program.failure(what, { lastWords: child.lastWords(), ...details })
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
