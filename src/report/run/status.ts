import { html, type Markup } from '../markup.ts'
import { countText } from '../number-text.ts'
import { badge } from '../page/elements.ts'
import { queriesOf, type RunData } from './run-data.ts'

const stopReasons: Readonly<Record<string, string>> = {
  'max-queries': 'all queries used',
  'max-iterations': 'all iterations done',
  'max-time': 'time was up',
  target: 'target reached',
  converged: 'converged',
  callback: 'stopped by the program',
  aborted: 'stopped by hand',
  'objective-failed': 'the objective failed',
}

const looks: Readonly<Record<string, string>> = {
  finished: 'good',
  failed: 'bad',
  aborted: 'warn',
  interrupted: 'warn',
}

/** Why a run ended, in words; the code itself where there are none. */
export function stopText({ result }: RunData): string {
  if (result === undefined) return 'not ended'
  return Object.hasOwn(stopReasons, result.stopReason) ? (stopReasons[result.stopReason] as string) : result.stopReason
}

/** The status of a run. */
export function statusBadge({ status }: RunData): Markup {
  return badge(status, looks)
}

/** What a reader of the numbers of an unfinished run must know first; nothing for a finished one. */
export function statusNotice(run: RunData): Markup | undefined {
  const so = `after ${countText(queriesOf(run))} queries`
  const said: Record<string, Markup> = {
    interrupted: html`This run was interrupted ${so}. The numbers below are what it had found by then.${resumeHint(run)}`,
    running: html`This run was still running ${so}, when this page was written. Its numbers are provisional.`,
    aborted: html`This run was stopped by hand ${so}, before its own end.${resumeHint(run)}`,
    failed: html`This run failed ${so}. The numbers below are what it had found by then.`,
  }
  if (run.status === 'finished' && run.result !== undefined) return undefined
  const known = Object.hasOwn(said, run.status)
    ? said[run.status]
    : html`This run has not finished: its status is ${run.status}.`
  return html`<p class="notice">${known}</p>\n`
}

/** Only a name that a shell takes for one word is worth copying into it. */
function resumeHint({ name }: RunData): Markup | undefined {
  return /^[\w./-]+$/.test(name) && !name.startsWith('-')
    ? html` <code>zeroth resume ${name}</code> continues from there.`
    : undefined
}
