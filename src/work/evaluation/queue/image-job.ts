import type { Briefing, Screened } from '../../../attacks/index.ts'

/** What a job says of its image: plain data, small. The spec is under a key of its own. */
export interface ImageJob {
  readonly image: Screened
  readonly briefing: Briefing
  /** Queries that earlier tries asked in vain. */
  readonly lost: number
  /** The hash of the spec. */
  readonly spec: string
}

/** An image that is to be attacked elsewhere. */
export function imageJob(image: Screened, briefing: Briefing, lost: number, spec: string): ImageJob {
  const { index, title, label, predicted, target, status, reason, modelCalls, failedQueries = 0, retries = 0 } = image
  // What the model answered when it was screened is nothing to an attack; a resumed one must ask for the very same job.
  const known = { index, title, label, predicted, target, status, reason, modelCalls, failedQueries, retries }
  const { scores, probe } = briefing
  return { image: known, briefing: probe === undefined ? { scores } : { scores, probe }, lost, spec }
}
