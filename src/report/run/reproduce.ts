import { html, type Markup } from '../markup.ts'
import { countText } from '../number-text.ts'
import { groupName } from '../page/group-name.ts'
import { type RunData, seedOf } from './run-data.ts'
import type { RunGroup } from './run-groups.ts'

/** Longer specs, such as those with a long start, are looked up in the run itself. */
const longestSpec = 20_000
const mostGroups = 24
const mostSeeds = 50

/** How to get the same numbers again: the spec of each group and the command. */
export function reproduce(groups: readonly RunGroup[]): Markup {
  const several = groups.length > 1
  const more = groups.length - mostGroups
  return html`<section aria-labelledby="reproduce"><h2 id="reproduce">How to reproduce</h2>
<p>Save the spec as <code>spec.json</code> and run the command. Given the same answers of the objective, the same spec and seed lead to the same points, to the last bit.</p>
${groups.slice(0, mostGroups).map((group) => recipe(group, several))}
${more > 0 ? html`<p class="remark">${countText(more)} more groups are not shown; meta.json of each run holds its spec.</p>` : undefined}</section>\n`
}

function recipe(group: RunGroup, several: boolean): Markup {
  const [first] = group.runs
  if (first === undefined) return html``
  return html`${several ? html`<h3>${groupName(group)}</h3>` : undefined}
<pre><code>${command(first, group.runs.length > 1)}</code></pre>
${otherSeeds(group)}${spec(first)}${hashes(group, several)}\n`
}

/** Text of unknown origin never gets into a command that a reader may copy. */
function command(run: RunData, withSeed: boolean): string {
  const { zeroth } = run.meta
  const program = /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(zeroth) ? `npx zeroth@${zeroth}` : 'npx zeroth'
  const seed = seedOf(run)
  return `${program} minimize spec.json${withSeed && Number.isFinite(seed) ? ` --seed ${seed}` : ''}`
}

function otherSeeds({ runs }: RunGroup): Markup | undefined {
  const seeds = [...new Set(runs.map(seedOf))].slice(1)
  if (seeds.length === 0) return undefined
  const rest = seeds.length > mostSeeds ? `, … (${countText(seeds.length)} in all)` : ''
  return html`<p>The same with the seeds ${seeds.slice(0, mostSeeds).join(', ')}${rest}.</p>`
}

function spec({ meta, name }: RunData): Markup {
  const text = JSON.stringify(meta.spec, undefined, 2)
  if (text.length > longestSpec) {
    return html`<p>The spec is too long for this page: it is the entry <code>spec</code> in meta.json of run ${name}.</p>`
  }
  return html`<details><summary>spec.json</summary><pre><code>${text}</code></pre></details>`
}

/** What a rerun can be checked by; one run shows its hash in its account. */
function hashes({ runs }: RunGroup, several: boolean): Markup | undefined {
  const known = runs.filter(({ result }) => result !== undefined).slice(0, mostSeeds)
  if (known.length === 0 || (runs.length === 1 && !several)) return undefined
  const items = known.map((run) => html`<li>${run.name}: <code class="hash">${run.result?.hash}</code></li>\n`)
  return html`<details><summary>Hashes of the points</summary><ul>\n${items}</ul></details>`
}
