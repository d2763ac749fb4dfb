import type { ImageRecord } from './records.ts'
import type { Screened } from './screening.ts'

/** The record of an image that was screened, and nothing else. */
export function screenedRecord({
  index,
  title,
  label,
  predicted,
  target,
  status,
  reason,
  modelCalls,
}: Screened): ImageRecord {
  return {
    index,
    title,
    label,
    predicted,
    target,
    status: status === 'skipped' ? 'skipped' : 'failed',
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
