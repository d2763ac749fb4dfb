import { ask } from './answers.ts'
import { attachYielder, callAfter, isPromise, makeRowYielder, makeYielder, onAbort, type Yielder } from './async.ts'
import type { Outcome } from './errors.ts'
import type { Session } from './session.ts'
import type { Answers, HistoryRecord, Objective, Queries } from './types.ts'

/** How a run is stopped from outside. */
export interface Control {
  readonly signal?: AbortSignal | undefined
}

/** The order in which answers are told: that of a journal, as long as it has any. */
export interface Order {
  /** The iteration that is told next; undefined if any may be. */
  next(): number | undefined
  /** Takes note of answers that the session is about to be told. */
  told(queries: Queries, answers: Answers): void
}

/** How a run is watched and stopped. */
export interface Watch extends Control {
  /** Called after each iteration; `'stop'` ends the run. A promise is waited for. */
  readonly onIteration?: ((record: HistoryRecord, session: Session) => unknown) | undefined
  readonly order?: Order | undefined
}

/**
 * The only loop over a session: ask, evaluate, tell, breathe, record. It yields what must be awaited before it can go on,
 * and nothing else: a run whose objective and watcher make no promise yields only breaths, and without `breathe` nothing.
 *
 * Several queries may be under way, if the session has several open. Then every turn begins those that have not begun, waits for
 * one answer, and tells it before it asks for another query: the way of the run depends on the order of the answers, and on
 * nothing else. An `order` keeps that order, so that a run can be taken the same way again.
 */
export function* engine(
  session: Session,
  objective: Objective,
  { signal, onIteration, order }: Watch = {},
  breathe?: Yielder,
): Generator<PromiseLike<void>, void> {
  const rowBreath = breathe === undefined ? undefined : makeRowYielder(() => performance.now())
  const stopping = stoppingOf(session, signal, rowBreath)
  const evaluations = new Evaluations(session, objective, stopping)
  try {
    while (session.outcome === undefined) {
      const before = session.latest
      yield* turn(session, evaluations, stopping, order)
      const breath = breathe?.()
      if (breath !== undefined) yield breath
      const record = session.latest
      if (record === undefined || record === before) continue
      const said = onIteration?.(record, session)
      if ((isPromise(said) ? yield* awaited(said) : said) === 'stop') session.stop('callback')
    }
  } finally {
    evaluations.abandon()
    stopping.close()
  }
}

/** Takes a session to its outcome. Other work of the thread has its turn every 50 ms at least, whatever the objective does. */
export async function runToEnd(
  session: Session,
  objective: Objective,
  watch: Watch = {},
  clock: () => number = () => performance.now(),
): Promise<Outcome> {
  for (const work of engine(session, objective, watch, makeYielder(clock))) await work
  return session.outcome as Outcome
}

/** Yields each completed iteration and ends when the session has an outcome. Leaving the loop early loses nothing. */
export async function* drive(
  session: Session,
  objective: Objective,
  control: Control = {},
): AsyncGenerator<HistoryRecord, void, void> {
  const completed: HistoryRecord[] = []
  const onIteration = async (record: HistoryRecord): Promise<void> => void completed.push(record)
  const breathe = makeYielder(() => performance.now())
  for (const work of engine(session, objective, { signal: control.signal, onIteration }, breathe)) {
    await work
    yield* completed.splice(0)
  }
}

/** Takes a session through its iterations, one call each. */
export interface Driver {
  /** One ask, its evaluation and the tell. Returns a promise only if the objective does. */
  turn(): void | Promise<void>
  /** Stops listening to the signal. */
  close(): void
}

/** Connects a session with the objective that answers it, for callers who advance it themselves. */
export function driver(session: Session, objective: Objective, { signal }: Control = {}): Driver {
  const stopping = stoppingOf(session, signal)
  const evaluations = new Evaluations(session, objective, stopping)
  return {
    turn() {
      const running = turn(session, evaluations, stopping)
      const first = running.next()
      return first.done === true ? undefined : finish(first.value, running)
    },
    close() {
      evaluations.abandon()
      stopping.close()
    },
  }
}

async function finish(first: PromiseLike<void>, running: Iterable<PromiseLike<void>>): Promise<void> {
  await first
  for (const work of running) await work
}

type Interruption = 'aborted' | 'max-time'

/** What ends an evaluation under way: the caller's signal, the end of the time, or a failure that ends the run. */
interface Stopping {
  /** What the objective is given. It fires for all of these, so that nothing is asked behind the run's back. */
  readonly signal: AbortSignal
  /** Ends what is under way. */
  abort(reason: unknown): void
  /** Resolves with the work's end or with what interrupted it, and leaves no timer behind. */
  unlessInterrupted(work: Promise<void>): Promise<Interruption | undefined>
  /** Stops listening to the caller's signal. */
  close(): void
}

/** Listens to the caller's signal for a whole run. With `breathe`, what is asked may let others have the thread. */
function stoppingOf(session: Session, signal: AbortSignal | undefined, breathe?: Yielder): Stopping {
  const controller = new AbortController()
  attachYielder(controller.signal, breathe)
  let interrupt: (by: Interruption) => void = () => undefined
  const stopListening = onAbort(signal, () => {
    controller.abort(signal?.reason)
    interrupt('aborted')
  })
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    async unlessInterrupted(work) {
      const interrupted = new Promise<Interruption>((resolve) => {
        interrupt = resolve
      })
      const timer = callAfter(session.timeLeft, () => {
        controller.abort(new Error('the time for the run is up'))
        interrupt('max-time')
      })
      // The objective itself may have fired the signal before it returned its promise.
      if (controller.signal.aborted) interrupt('aborted')
      try {
        return await Promise.race([work.then(() => undefined), interrupted])
      } finally {
        clearTimeout(timer)
      }
    },
    close() {
      stopListening()
      interrupt('aborted')
    },
  }
}

/** Queries that were evaluated. */
interface Evaluated {
  readonly queries: Queries
  readonly answers: Answers
}

/** The evaluations of a session: those under way, and those that have ended and were not told yet, in their order. */
class Evaluations {
  readonly #session: Session
  readonly #objective: Objective
  readonly #stopping: Stopping
  /** Iterations that were begun and not told. */
  readonly #begun = new Set<number>()
  readonly #ended: Evaluated[] = []
  #error: { readonly thrown: unknown } | undefined
  #wake: () => void = () => undefined

  constructor(session: Session, objective: Objective, stopping: Stopping) {
    this.#session = session
    this.#objective = objective
    this.#stopping = stopping
  }

  /** Begins with queries, unless they have begun. */
  begin(queries: Queries): void {
    const { iteration } = queries.key
    if (this.#begun.has(iteration)) return
    this.#begun.add(iteration)
    const answers = this.#session.answers(queries)
    const end = (): void => {
      this.#ended.push({ queries, answers })
      this.#wake()
    }
    const work = ask(this.#objective, queries, answers, this.#stopping.signal)
    if (work === undefined) return end()
    work.then(end, (thrown: unknown) => {
      this.#error ??= { thrown }
      this.#wake()
    })
  }

  /** Waits until one has ended; undefined if there is one already. Rejects with the error that ends the run. */
  wait(): Promise<void> | undefined {
    if (this.#ended.length > 0) return undefined
    return new Promise<void>((resolve) => {
      this.#wake = resolve
      if (this.#error !== undefined) resolve()
    }).then(() => {
      if (this.#error !== undefined) throw this.#error.thrown
    })
  }

  /** The one that ended first. */
  take(): Evaluated {
    const [first] = this.#ended.splice(0, 1) as [Evaluated]
    this.#begun.delete(first.queries.key.iteration)
    return first
  }

  /** Tells those that are still under way to stop: nobody waits for them. */
  abandon(): void {
    if (this.#begun.size > this.#ended.length) this.#stopping.abort(new Error('the run has ended'))
  }
}

/**
 * Begins what is open, waits for one answer and tells it. Yields only what must be awaited: nothing, where the objective makes
 * no promise. When the signal fires or the time is up the session ends at once, even if the objective hangs.
 */
function* turn(
  session: Session,
  evaluations: Evaluations,
  stopping: Stopping,
  order?: Order,
): Generator<PromiseLike<void>, void> {
  if (stopping.signal.aborted) return session.stop('aborted')
  const next = order?.next()
  const open = session.open()
  const due = next === undefined ? open : [open.find(({ key }) => key.iteration === next) ?? (open[0] as Queries)]
  for (const queries of due) evaluations.begin(queries)
  const work = evaluations.wait()
  const by = work === undefined ? stopped(stopping) : yield* awaited(stopping.unlessInterrupted(work))
  // An objective that was told to stop has left rows unanswered.
  if (by !== undefined) return session.stop(by)
  const { queries, answers } = evaluations.take()
  order?.told(queries, answers)
  session.tell(answers, queries)
  if (session.outcome?.status === 'failed') stopping.abort(session.outcome.error)
}

/** Yields a promise for whoever drives a generator to await, and returns what it resolves with. */
function* awaited<T>(work: PromiseLike<T>): Generator<PromiseLike<void>, T> {
  const results: T[] = []
  yield work.then((result) => void results.push(result))
  return results[0] as T
}

function stopped({ signal }: Stopping): Interruption | undefined {
  return signal.aborted ? 'aborted' : undefined
}
