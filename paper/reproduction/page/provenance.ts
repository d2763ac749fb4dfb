import { countText, secondsText } from '../../../src/app/report/number-text.ts'

/** A session of a reproduction: one process that ran attacks, from the start of the command to its end. */
export interface WorkSession {
  /** When it began, as ISO text. */
  readonly began: string
  /** When it last wrote to the folder; undefined in folders that did not record it. */
  readonly ended?: string | undefined
  /** Running time in seconds. */
  readonly seconds: number
  /** Attacks that finished in it. */
  readonly attacks?: number | undefined
  /** The command as it was typed. */
  readonly command?: string | undefined
  /** The version of zeroth. */
  readonly zeroth: string
  /** The commit, where zeroth ran from a git checkout. */
  readonly commit?: string | undefined
  readonly machine: Readonly<Record<string, string>>
}

/** How the numbers of a reproduction were obtained: recorded when its attacks ran, not when it is drawn. */
export interface Provenance {
  readonly seed: number
  /** The command that repeats it from scratch. */
  readonly command: string
  /** Running time of all sessions in seconds. */
  readonly seconds: number
  /** The sessions, under the key that stored files use. */
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
  { seed, seconds, sittings: sessions }: Provenance,
  { done, cells, modelCalls }: Progress,
): [string, string][] {
  const all = (of: (session: WorkSession) => string): string => [...new Set(sessions.map(of))].join('; ')
  return [
    ['command', sessions[0]?.command ?? unknown],
    ['zeroth', all(({ zeroth }) => zeroth) || unknown],
    ['commit', all(commitText) || unknown],
    ['seed', String(seed)],
    ['machine', all(({ machine }) => machineText(machine)) || unknown],
    ['date', dateText(sessions)],
    ['sessions', sessions.length === 0 ? unknown : countText(sessions.length)],
    ['running time', timeText(seconds, sessions)],
    ['attacks', done === cells ? countText(done) : `${countText(done)} of ${countText(cells)}`],
    ['images classified', countText(modelCalls)],
  ]
}

const unknown = 'not recorded'

/** A session without a time was killed before times were recorded while it ran. */
function timeText(seconds: number, sessions: readonly WorkSession[]): string {
  if (seconds <= 0) return unknown
  return `${secondsText(seconds)}${sessions.some((each) => each.seconds <= 0) ? ' and more' : ''}`
}

/** The commit of a session; one without a command is from before commits were recorded. */
export function commitText({ commit, command }: WorkSession): string {
  return commit ?? (command === undefined ? unknown : 'none: not run from a git checkout')
}

/** A machine in a line. */
function machineText(machine: Readonly<Record<string, string>>): string {
  const named = Object.entries(machine).map(([name, value]) => (name === 'node' ? `Node ${value}` : value))
  return named.join(', ')
}

/** From when to when. */
function dateText(sessions: readonly WorkSession[]): string {
  const [first, last] = [sessions[0]?.began, sessions.at(-1)?.ended]
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
