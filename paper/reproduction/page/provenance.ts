import { countText, secondsText } from '../../../src/report/number-text.ts'

/** One time that attacks of a reproduction were made, from the call of the command to its end. */
export interface WorkSession {
  /** When it began, as ISO text. */
  readonly began: string
  /** Its last sign of life; where it is not known, nobody kept it. */
  readonly ended?: string | undefined
  /** Seconds at work. */
  readonly seconds: number
  /** Attacks that came to their end in it. */
  readonly attacks?: number | undefined
  /** The command as it was typed. */
  readonly command?: string | undefined
  /** The version of zeroth. */
  readonly zeroth: string
  /** The commit, where zeroth ran from a git checkout. */
  readonly commit?: string | undefined
  readonly machine: Readonly<Record<string, string>>
}

/** How the numbers of a reproduction came about: kept when its attacks were made, whenever it is drawn. */
export interface Provenance {
  readonly seed: number
  /** What makes the same again, from nothing. */
  readonly command: string
  /** Seconds at work in all. */
  readonly seconds: number
  readonly sittings: readonly WorkSession[]
}

/** How far a reproduction has come. */
export interface Progress {
  readonly done: number
  readonly cells: number
  /** Images the model has classified for all of it. */
  readonly modelCalls: number
}

/** Command, commit, seed, machine, date and effort: names and what they are, as plain text. */
export function provenanceRows(
  { seed, seconds, sittings }: Provenance,
  { done, cells, modelCalls }: Progress,
): [string, string][] {
  const all = (of: (session: WorkSession) => string): string => [...new Set(sittings.map(of))].join('; ')
  return [
    ['command', sittings[0]?.command ?? unknown],
    ['zeroth', all(({ zeroth }) => zeroth) || unknown],
    ['commit', all(commitText) || unknown],
    ['seed', String(seed)],
    ['machine', all(({ machine }) => machineText(machine)) || unknown],
    ['date', dateText(sittings)],
    ['sittings', sittings.length === 0 ? unknown : countText(sittings.length)],
    ['time at work', timeText(seconds, sittings)],
    ['attacks', done === cells ? countText(done) : `${countText(done)} of ${countText(cells)}`],
    ['images classified', countText(modelCalls)],
  ]
}

const unknown = 'not recorded'

/** A session that nobody timed was killed before times were kept as they went. */
function timeText(seconds: number, sittings: readonly WorkSession[]): string {
  if (seconds <= 0) return unknown
  return `${secondsText(seconds)}${sittings.some((each) => each.seconds <= 0) ? ' and more' : ''}`
}

/** The commit of a session; one whose command was not kept is from before commits were. */
export function commitText({ commit, command }: WorkSession): string {
  return commit ?? (command === undefined ? unknown : 'none: not run from a git checkout')
}

/** A machine in a line. */
function machineText(machine: Readonly<Record<string, string>>): string {
  const named = Object.entries(machine).map(([name, value]) => (name === 'node' ? `Node ${value}` : value))
  return named.join(', ')
}

/** From when to when. */
function dateText(sittings: readonly WorkSession[]): string {
  const [first, last] = [sittings[0]?.began, sittings.at(-1)?.ended]
  if (first === undefined) return unknown
  const from = minuteText(first)
  if (last === undefined) return `begun ${from}`
  const to = minuteText(last)
  if (from === to) return from
  const isSameDay = from.slice(0, 10) === to.slice(0, 10)
  return isSameDay ? `${from.slice(0, 16)} to ${to.slice(11)}` : `${from} to ${to}`
}

/** ISO text to the minute; as it is where it is something else. */
export function minuteText(time: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d.*Z$/.test(time) ? `${time.slice(0, 16).replace('T', ' ')} UTC` : time
}
