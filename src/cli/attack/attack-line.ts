import type { Progress, WorkEvent } from '../../work/events.ts'
import { millisecondsText } from '../duration-text.ts'
import { type Field, fitted, grouped, perSecond } from '../live-line.ts'

/** What the line about an evaluation says beside its progress. */
export interface AttackLineOptions {
  readonly universal: boolean
  /** Which of several evaluations it is. */
  readonly label?: string | undefined
}

/** The line about an evaluation at work. */
export interface AttackLine {
  /** Takes note of an event. */
  take(event: WorkEvent): void
  text(width?: number): string
}

/** Says how far an evaluation is: images done and fooled, queries per second and the time left. */
export function attackLine({ universal, label }: AttackLineOptions): AttackLine {
  let latest: Progress | undefined
  return {
    take(event) {
      if (event.type === 'progress') latest = event
    },
    text(width = Infinity) {
      const isAttacking = latest?.phase === 'attacking'
      const screening = { text: `screening images: ${grouped(latest?.items?.done ?? 0)} screened`, weight: 6 }
      const fields = latest !== undefined && isAttacking ? fieldsOf(latest, universal) : [screening]
      return fitted([{ text: label ?? '', weight: 1 }, ...fields], width)
    },
  }
}

function fieldsOf({ iterations, items, rate, left }: Progress, universal: boolean): Field[] {
  const { done = 0, total = 0, fooled = 0 } = items ?? {}
  const place = universal ? `iteration ${grouped(iterations)}` : `images ${grouped(done)} of ${grouped(total)}`
  const success = universal ? `${grouped(fooled)} of ${grouped(total)}` : grouped(fooled)
  return [
    { text: place, weight: 6 },
    { text: `fooled ${success}`, weight: 5 },
    { text: rate > 0 ? `${perSecond(rate)} queries/s` : '', weight: 3 },
    { text: left === undefined ? '' : `at most ${millisecondsText(left)} left`, weight: 4 },
  ]
}
