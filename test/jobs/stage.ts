import type { EventBody, JobContext } from '../../src/app/jobs/events.ts'
import type { CompiledSpec } from '../../src/app/spec/index.ts'

/** A stage for tests: keeps what happened, by the work it happened to, and can be stopped. */
export interface TestStage extends JobContext {
  readonly events: [work: string, happening: EventBody][]
  readonly messages: string[]
  stop(): void
}

/** A stage that shows every event to a function at once, in the middle of the work. */
export function testStage(see: (happening: EventBody, work: string, stop: () => void) => void = () => {}): TestStage {
  const controller = new AbortController()
  const events: TestStage['events'] = []
  const messages: string[] = []
  const stop = () => controller.abort(new Error('stopped by a test'))
  return {
    job: 'w',
    signal: controller.signal,
    events,
    messages,
    stop,
    emit(work, happening) {
      events.push([work, happening])
      if (happening.type === 'warning') messages.push(happening.message)
      see(happening, work, stop)
    },
  }
}

/** A compiled spec that does something instead of answering, once this many iterations are complete. */
export function insteadOf(compiled: CompiledSpec, after: number, act: () => void): CompiledSpec {
  const { objective } = compiled
  return {
    ...compiled,
    objective: {
      ...objective,
      dim: objective.dim,
      evaluate(queries, into, signal) {
        if (queries.key.iteration <= after) return objective.evaluate(queries, into, signal)
        act()
        return new Promise<void>(() => undefined)
      },
    },
  }
}
