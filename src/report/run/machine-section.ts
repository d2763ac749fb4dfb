import { html, type Markup } from '../markup.ts'
import { countText } from '../number-text.ts'
import { factTable } from '../page/table.ts'
import type { RunData } from './run-data.ts'
import { settingText } from './settings.ts'

const mostMachines = 12
const mostNames = 6

/** What the runs ran on: versions and machines, each combination once. */
export function machineSection(runs: readonly RunData[]): Markup {
  const places = new Map<string, RunData[]>()
  for (const run of runs) {
    const key = JSON.stringify([run.meta.zeroth, Object.entries(run.meta.machine)])
    places.set(key, [...(places.get(key) ?? []), run])
  }
  const several = places.size > 1
  const tables = [...places.values()].slice(0, mostMachines).map((group) => machine(group, several))
  const more = places.size - mostMachines
  return html`<section aria-labelledby="machine"><h2 id="machine">Machine and versions</h2>
<div class="cards">${tables}</div>
${more > 0 ? html`<p class="remark">${countText(more)} more machines are not shown.</p>` : undefined}</section>\n`
}

function machine(runs: readonly RunData[], several: boolean): Markup {
  const [run] = runs
  if (run === undefined) return html``
  const names = runs.map(({ name }) => name)
  const others = names.length > mostNames ? ` and ${countText(names.length - mostNames)} more` : ''
  const caption = several ? `Runs ${names.slice(0, mostNames).join(', ')}${others}` : 'All runs'
  return factTable(runs.length === 1 && !several ? 'This run' : caption, [
    ['zeroth', run.meta.zeroth],
    ...Object.entries(run.meta.machine).map(([name, value]) => [name, settingText(value)] as const),
  ])
}
