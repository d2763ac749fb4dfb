import { html, type Markup } from '../markup.ts'
import { countText } from '../number-text.ts'
import { shortened } from '../shortened.ts'
import type { AttackRun } from './attack-run.ts'

const mostMessages = 50
const mostNames = 6

/** What was warned about, each message once with the methods it came from; nothing where nothing was. */
export function attackWarnings(runs: readonly AttackRun[]): Markup | undefined {
  const messages = new Map<string, string[]>()
  for (const { name, report } of runs) {
    for (const warning of new Set(report.warnings)) messages.set(warning, [...(messages.get(warning) ?? []), name])
  }
  if (messages.size === 0) return undefined
  const items = [...messages].slice(0, mostMessages).map(([message, names]) => item(message, names, runs.length))
  const more = messages.size - mostMessages
  return html`<section aria-labelledby="warnings"><h2 id="warnings">Warnings</h2>
<ul>\n${items}</ul>
${more > 0 ? html`<p class="remark">${countText(more)} more are not shown.</p>` : undefined}</section>\n`
}

function item(message: string, names: readonly string[], runs: number): Markup {
  const rest = names.length > mostNames ? ` and ${countText(names.length - mostNames)} more` : ''
  const where = runs === 1 ? undefined : html` <small>(${names.slice(0, mostNames).join(', ')}${rest})</small>`
  return html`<li>${shortened(message, 600)}${where}</li>\n`
}
