import { type CarriedError, unpackError } from './errors.ts'

/** What a crew member is reached through: a worker thread, a process or a socket in the shape of one. */
interface CrewPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'error', listener: (error: unknown) => void): unknown
  on(event: 'exit', listener: (code: number) => void): unknown
  /** Keep the program alive, or not, while only this port is open. */
  ref(): void
  unref(): void
}

/** A request as it travels; the answer has the same number. */
export interface CrewRequest<Request> {
  readonly call: number
  readonly request: Request
}

/** An answer as it travels: a value, or why there is none. */
export type CrewAnswer<Answer> =
  | { readonly call: number; readonly answer: Answer }
  | { readonly call: number; readonly error: CarriedError }

/** How a member is followed. */
interface CrewOptions {
  /** Receives every message that is not an answer. */
  readonly onEvent?: ((event: never) => void) | undefined
  /** Called once if the member dies: returns the error that fails its requests, those under way and all later ones. */
  readonly died: (reason: { readonly error: unknown } | { readonly exitCode: number }) => Error
}

/** A member of a crew: it answers requests, several at once. */
export interface CrewMember<Request, Answer> {
  /** Requests without an answer so far. */
  readonly pending: number
  /** Resolves with the answer; rejects with the error of the member, or as soon as it dies. Keeps the program alive meanwhile. */
  ask(request: Request): Promise<Answer>
}

/** Requests and answers over a port. */
export function crewMember<Request, Answer>(
  port: CrewPort,
  { onEvent, died }: CrewOptions,
): CrewMember<Request, Answer> {
  const waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>()
  let calls = 0
  let end: Error | undefined

  const settle = (call: number) => {
    const request = waiting.get(call)
    waiting.delete(call)
    if (waiting.size === 0) port.unref()
    return request
  }
  const die = (reason: Parameters<typeof died>[0]): void => {
    if (end !== undefined) return
    end = died(reason)
    for (const call of [...waiting.keys()]) settle(call)?.reject(end)
  }
  port.on('error', (error) => die({ error }))
  port.on('exit', (exitCode) => die({ exitCode }))
  port.on('message', (message) => {
    if (!isAnswer<Answer>(message)) return onEvent?.(message as never)
    const request = settle(message.call)
    if ('error' in message) request?.reject(unpackError(message.error))
    else request?.resolve(message.answer)
  })
  return {
    get pending() {
      return waiting.size
    },
    ask: (request) =>
      new Promise((resolve, reject) => {
        if (end !== undefined) return reject(end)
        const call = calls++
        waiting.set(call, { resolve, reject })
        port.ref()
        port.postMessage({ call, request } satisfies CrewRequest<Request>)
      }),
  }
}

function isAnswer<Answer>(message: unknown): message is CrewAnswer<Answer> {
  return (
    typeof message === 'object' && message !== null && 'call' in message && ('answer' in message || 'error' in message)
  )
}
