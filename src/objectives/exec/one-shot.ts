import { type Asker, openQuestion } from './asker.ts'
import { startChild } from './child.ts'
import { type Reply, readReply } from './message.ts'
import { type Program, shortened } from './program.ts'

/** Starts a process per request; the last line it writes is the reply. */
export function oneShotAsker(program: () => Program): Asker {
  let stopping: Promise<void> = Promise.resolve()

  return {
    async ask({ id, line }, signal) {
      await stopping
      signal.throwIfAborted()
      const about = program()
      let last = ''
      const child = startChild(about, {
        line: (text) => (last = text),
        tooLong: () => question.fail(failure(`wrote a line of more than ${about.maxLineBytes} bytes`)),
        over(what, ending) {
          if (ending === 'well') question.answer({ id, value: last })
          else question.fail(failure(what))
        },
      })
      const failure = (what: string) => about.failure(what, child.lastWords())
      const question = openQuestion(id, about.timeout, signal, failure)
      void child.send(line)
      child.finish()
      try {
        await question.settled
        return lastReply(last, id, about)
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
    throw program.failure(`wrote a last line that is no reply: ${JSON.stringify(shortened(program.redact(line), 80))}`)
  }
  if (reply.id !== undefined && reply.id !== id) throw program.failure(`answered request ${reply.id}, not ${id}`)
  return reply
}
