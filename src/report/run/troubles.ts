import { html, type Markup } from '../markup.ts'
import { countText } from '../number-text.ts'
import { shortened } from '../shortened.ts'
import type { RunData } from './run-data.ts'

const mostMessages = 50
const mostNames = 6

/** Warnings and failures, each message once with the runs it came from. */
export function troubles(runs: readonly RunData[]): Markup {
  const messages = new Map<string, string[]>()
  const note = (message: string, { name }: RunData): void => {
    messages.set(message, [...(messages.get(message) ?? []), name])
  }
  for (const run of runs) {
    for (const warning of run.result?.warnings ?? []) note(warning, run)
    const { count = 0, first } = run.result?.failures ?? {}
    if (count > 0) note(failureText(count, first), run)
    for (const problem of run.problems ?? []) note(problem, run)
    if (run.result === undefined) note(`no result: the run is ${run.status}`, run)
  }
  const items = [...messages].slice(0, mostMessages).map(([message, names]) => item(message, names, runs.length))
  const more = messages.size - mostMessages
  return html`<section aria-labelledby="troubles"><h2 id="troubles">Warnings and failures</h2>
${items.length === 0 ? html`<p>None: every query was answered, and nothing was warned about.</p>` : html`<ul>\n${items}</ul>`}
${more > 0 ? html`<p class="remark">${countText(more)} more messages are not shown.</p>` : undefined}</section>\n`
}

function failureText(count: number, first: string | undefined): string {
  const failed = count === 1 ? '1 query failed' : `${countText(count)} queries failed`
  return first === undefined ? failed : `${failed}, the first with: ${shortened(first, 600)}`
}

function item(message: string, names: readonly string[], runs: number): Markup {
  const others = names.length > mostNames ? ` and ${countText(names.length - mostNames)} more` : ''
  const where = runs === 1 ? undefined : html` <small>(${names.slice(0, mostNames).join(', ')}${others})</small>`
  return html`<li>${message}${where}</li>\n`
}
