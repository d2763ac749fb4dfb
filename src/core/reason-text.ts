import { show } from './errors.ts'

/** Characters kept of a reason. */
const maxReason = 500

/** A reason for a failure as text: the same whether the run was interrupted in between or not. */
export function reasonText(reason: unknown): string {
  let text: string
  try {
    text = reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason)
  } catch {
    text = show(reason)
  }
  return text.length > maxReason ? `${text.slice(0, maxReason)}...` : text
}
