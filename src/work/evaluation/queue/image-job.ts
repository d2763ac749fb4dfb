import { createHash } from 'node:crypto'
import type { Briefing, Screened } from '../../../attacks/index.ts'
import { jsonSafe } from '../../../core/json-safe.ts'

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
  // What the model answered when it was screened is asked about at home.
  const { scores: _, ...known } = image
  const { scores, probe } = briefing
  return { image: known, briefing: { scores, probe }, lost, spec }
}

/** Of all that the result of a job depends on. */
export function contentHash(content: object): string {
  return createHash('sha256')
    .update(JSON.stringify(jsonSafe(content)))
    .digest('hex')
    .slice(0, 16)
}
