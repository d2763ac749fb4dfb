import { messageOf } from '../../core/errors.ts'
import type { Silence } from '../../models/index.ts'
import type { Warning } from '../events.ts'
import type { AttackMeter } from './attack-meter.ts'

/** Milliseconds of silence that are worth a word, and between two words about it. */
const [first, next] = [2000, 30_000]

/** Tells people that a model does not answer, for how long, and when it answers again. */
export function silenceTeller(
  meter: Pick<AttackMeter, 'silent'>,
  patience: number,
  warn: (code: Warning['code'], text: string) => void,
): (silence: Silence) => void {
  let due = first
  return ({ milliseconds, reason, isOver }) => {
    meter.silent(isOver ? undefined : milliseconds)
    const seconds = `${Math.round(milliseconds / 1000)} s`
    if (isOver) {
      if (due > first) warn('note', `the model answers again, after ${seconds}`)
      due = first
    } else if (milliseconds >= due) {
      const most = Number.isFinite(patience) ? ` of ${patience} s` : ''
      warn('model', `the model does not answer: waiting (${seconds}${most}): ${messageOf(reason)}`)
      due = milliseconds + next
    }
  }
}
