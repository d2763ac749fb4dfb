import type { JobWorker } from '../queue/index.ts'
import type { SpecFlags } from './spec-options.ts'

/** What the options of `zeroth worker` say. */
export interface WorkerFlags extends SpecFlags {
  readonly name?: string
  readonly prefix?: string
  readonly serves?: string
  readonly lock?: number
  readonly quiet?: boolean
}

/** A worker that has begun, and what is said and closed at its end. */
export interface BegunWorker {
  readonly worker: JobWorker
  readonly summary: () => string
  readonly close: () => Promise<unknown> | undefined
}

/** Closes what was opened for a worker that could not begin. */
export function closing(close: () => Promise<unknown>): (error: unknown) => Promise<never> {
  return async (error) => {
    await close()
    throw error
  }
}
