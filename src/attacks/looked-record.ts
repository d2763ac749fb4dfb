import type { ImageRecord } from './records.ts'
import type { Looked } from './survey.ts'

/** The record of an image that nothing was done to but look at it. */
export function lookedRecord({
  index,
  title,
  label,
  predicted,
  target,
  standing,
  reason,
  modelCalls,
}: Looked): ImageRecord {
  return {
    index,
    title,
    label,
    predicted,
    target,
    status: standing === 'skipped' ? 'skipped' : 'failed',
    reason,
    queries: 0,
    modelCalls,
    first: null,
    best: null,
    final: null,
    success8bit: null,
    saved: null,
    files: null,
    stopReason: null,
    curve: null,
  }
}
