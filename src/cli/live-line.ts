import { countText } from '../report/number-text.ts'
import type { Budget, Progress, WorkEvent, WorkKind } from '../work/index.ts'
import { millisecondsText } from './terminal-text.ts'

/** The line about a work, from its events: that of the member that was begun last, where it has members. */
export interface LiveLine {
  take(event: WorkEvent): void
  /** Iteration, queries, best value, queries per second and the time left, in so many characters at most. */
  text(width?: number): string
  /** How much of the work is done, from 0 to 1; 0 where that cannot be told. */
  share(): number
}

/** The work that the line is about. */
interface Shown {
  readonly work: string
  readonly kind: WorkKind
  readonly label: string
  readonly budget: Budget
  readonly began: number
  progress?: Progress
  /** When it was told. */
  at?: number
}

/** Follows the events of a work and says how far it is. The clock is a monotonic one in milliseconds. */
export function liveLine(clock: () => number = () => performance.now()): LiveLine {
  let shown: Shown | undefined
  const fields = (): Field[] => {
    if (shown === undefined) return []
    if (shown.progress !== undefined) {
      const { kind, progress, budget } = shown
      return [...waitingFields(shown, clock()), ...progressFields[kind](progress, budget), ...queueFields(progress)]
    }
    return [{ text: `waiting for the first answers  ${millisecondsText(clock() - shown.began)}`, weight: 6 }]
  }
  return {
    take(event) {
      if (event.type === 'started') {
        const { work, kind, title = '', budget } = event
        shown = { work, kind, label: title, budget, began: clock() }
      }
      if (event.type === 'progress' && event.work === shown?.work)
        Object.assign(shown, { progress: event, at: clock() })
    },
    text: (width = Infinity) => fitted([{ text: shown?.label ?? '', weight: 1 }, ...fields()], width),
    share: () => shown?.progress?.share ?? 0,
  }
}

/** What matters most while a model does not answer. */
function waitingFields({ progress, at = 0 }: Shown, now: number): Field[] {
  if (progress?.waiting === undefined) return []
  const waited = millisecondsText(progress.waiting + now - at)
  return [{ text: `the model does not answer: waiting (${waited})`, weight: 7 }]
}

/** What is said about each kind of work. */
const progressFields: Readonly<Record<WorkKind, (progress: Progress, budget: Budget) => Field[]>> = {
  run: ({ iterations, queries, best = Number.NaN, variables = {}, rate, left }, { maxQueries }) => [
    { text: `iteration ${countText(iterations)}`, weight: 2 },
    { text: `queries ${countText(queries)}${limitText(maxQueries)}`, weight: 5 },
    { text: `best ${Number.isNaN(best) ? '-' : best.toPrecision(6)}`, weight: 6 },
    ...Object.entries(variables).map(([name, value]) => ({ text: `${name} ${value.toPrecision(4)}`, weight: 1 })),
    { text: rate > 0 ? `${perSecond(rate)} queries/s` : '', weight: 3 },
    { text: left === undefined ? '' : `${millisecondsText(left)} left`, weight: 4 },
  ],
  series: itemFields,
  tuning: itemFields,
  evaluation: ({ phase, iterations, items = { done: 0, total: 0 }, rate, left }) => {
    if (phase === 'screening') return [{ text: `screening images: ${countText(items.done)}`, weight: 6 }]
    const [done, total, fooled] = [items.done, items.total, items.fooled ?? 0].map(countText)
    const isShared = phase === 'universal'
    return [
      { text: isShared ? `iteration ${countText(iterations)}` : `images ${done} of ${total}`, weight: 6 },
      { text: `fooled ${fooled}${isShared ? ` of ${total}` : ''}`, weight: 5 },
      { text: rate > 0 ? `${perSecond(rate)} queries/s` : '', weight: 3 },
      { text: left === undefined ? '' : `at most ${millisecondsText(left)} left`, weight: 4 },
    ]
  },
}

/** Who works on it elsewhere. */
function queueFields({ queue }: Progress): Field[] {
  if (queue === undefined) return []
  const [workers, waiting, active, failed] = [queue.workers, queue.waiting, queue.active, queue.failed].map(countText)
  const jobs = `${waiting} waiting, ${active} active${queue.failed === 0 ? '' : `, ${failed} failed`}`
  return [{ text: `${workers} ${queue.workers === 1 ? 'worker' : 'workers'}: ${jobs}`, weight: 3 }]
}

function itemFields({ items = { done: 0, total: 0 } }: Progress): Field[] {
  return [{ text: `${countText(items.done)} of ${countText(items.total)} done`, weight: 6 }]
}

/** A part of a line. */
export interface Field {
  readonly text: string
  /** Where there is no room the lightest goes first. */
  readonly weight: number
}

/** The fields that fit side by side; the last one that is left is cut. */
export function fitted(fields: readonly Field[], width: number): string {
  let shown = fields.filter(({ text }) => text !== '')
  const line = (): string => shown.map(({ text }) => text).join('  ')
  while (line().length > width && shown.length > 1) {
    const lightest = Math.min(...shown.map(({ weight }) => weight))
    shown = shown.filter(({ weight }) => weight !== lightest)
  }
  return line().slice(0, width)
}

function limitText(maxQueries: number | undefined): string {
  return maxQueries === undefined ? '' : ` of ${countText(maxQueries)}`
}

/** A rate as people read it. */
function perSecond(rate: number): string {
  return rate >= 100 ? countText(Math.round(rate)) : String(Number(rate.toPrecision(2)))
}
