import { show, type ZerothError } from '../../core/errors.ts'
import { onAbort } from '../../core/on-abort.ts'
import { callAfter } from '../../core/timer.ts'
import type { Reply, Request } from './message.ts'
import type { FailureDetails } from './program.ts'

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
  const late = (): void => fail(failure(`did not answer within ${timeout} ms`))
  // An answer that is there already counts, even if this program was too busy to read it.
  const timer = callAfter(timeout, () => setImmediate(late))
  const unfollow = onAbort(signal, () => fail(failure(`was stopped: ${reasonOf(signal)}`, { retryable: false })))
  const settled = reply.finally(() => {
    clearTimeout(timer)
    unfollow()
  })
  return { id, settled, answer: (reply) => answer(reply), fail: (error) => fail(error) }
}

function reasonOf({ reason }: AbortSignal): string {
  return reason instanceof Error ? reason.message : show(reason)
}
