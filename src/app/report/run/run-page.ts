import { drawingDocument } from '../drawing-document.ts'
import { html, type Markup } from '../markup.ts'
import { countText, queriesText, someNames } from '../number-text.ts'
import { createdTime, type ReportPage, reportPage } from '../page/document.ts'
import {
  factTable,
  type Message,
  machineSection,
  messageList,
  moreThanShown,
  type PageColumn,
  pageTable,
  reproduceSection,
  type Section,
} from '../page/elements.ts'
import { comparison, convergenceFigures, convergenceSection, runsTable } from './comparison.ts'
import { overview, runDetails, runPhases, runResult, statusBadge, statusNotice, summaryOf } from './result.ts'
import {
  checkRuns,
  differingPaths,
  groupName,
  type Ranking,
  type RunData,
  type RunGroup,
  runGroups,
  type Setting,
  seedOf,
  settingText,
} from './runs.ts'

/** What a page is called, and what it measures runs by. */
export interface RunPageOptions {
  readonly title: string
  /** A value worth reaching: drawn into the figures, and counted how often and how soon. That of the specs unless given. */
  readonly target?: number | undefined
  /** What groups of runs are ranked by: `'median'` unless given. */
  readonly ranking?: Ranking | undefined
  /** Runs that could not be read and are left out, and why. */
  readonly unread?: readonly Message[] | undefined
}

/**
 * One run, or several in comparison, as a single HTML file that needs nothing else, with its figures as SVG files. Only
 * what the runs recorded is shown; the same runs give the same bytes.
 */
export function runPage(
  runs: readonly RunData[],
  { title, target = commonTarget(runs), ranking, unread = [] }: RunPageOptions,
): ReportPage {
  checkRuns(runs)
  const groups = runGroups(runs, ranking)
  const only = runs.length === 1 ? runs[0] : undefined
  const figures = convergenceFigures(groups, target, drawingDocument())
  const convergence = convergenceSection(groups, figures)
  const results =
    only === undefined
      ? [overview(groups), convergence, comparison(groups, target), runsTable(groups)]
      : [runResult(only), convergence, ...present(runPhases(only)), runDetails(only)]
  return reportPage({
    title,
    kicker: 'zeroth report',
    about: about(runs, groups),
    summary: summaryOf(groups),
    notice: html`${unreadNotice(unread)}${only === undefined ? undefined : statusNotice(only)}`,
    sections: [...results, troubles(runs, unread), settingsSection(groups), machines(runs), recipesSection(groups)],
    figures,
    source: 'runs',
  })
}

function unreadNotice(unread: readonly Message[]): Markup | undefined {
  if (unread.length === 0) return undefined
  const runs = unread.length === 1 ? 'A run that' : `${countText(unread.length)} runs that`
  const named = someNames(unread.map(({ name }) => name))
  return html`<p class="notice">${runs} cannot be read ${unread.length === 1 ? 'is' : 'are'} left out: ${named}. <a href="#troubles">Why</a></p>\n`
}

function present<T>(each: T | undefined): T[] {
  return each === undefined ? [] : [each]
}

function about(runs: readonly RunData[], groups: readonly RunGroup[]): Markup {
  const [run] = runs
  return runs.length === 1 && run !== undefined
    ? html`<span>Run ${run.name}</span>${createdTime(run.meta.created)}${statusBadge(run)}`
    : html`<span>${runs.length} runs${groups.length > 1 ? ` in ${groups.length} groups` : ''}</span>`
}

function commonTarget(runs: readonly RunData[]): number | undefined {
  const targets = [...new Set(runs.map(({ meta }) => meta.spec.target))]
  return targets.length === 1 && typeof targets[0] === 'number' ? targets[0] : undefined
}

/** Warnings, failures, and what could not be read. */
function troubles(runs: readonly RunData[], unread: readonly Message[]): Section {
  const lost = unread.map(({ name, text }) => ({ name, text: `cannot be read: ${text}` }))
  const messages = [...lost, ...runs.flatMap(troublesOf)]
  const content =
    messages.length === 0
      ? html`<p>None: every query was answered, and there were no warnings.</p>`
      : messageList(messages, runs.length + unread.length)
  return { id: 'troubles', title: 'Warnings and failures', content }
}

function troublesOf({ name, status, result, problems = [] }: RunData): Message[] {
  const { count = 0, first } = result?.failures ?? {}
  const failed = `${queriesText(count)} failed`
  const failure = first === undefined ? failed : `${failed}, the first with: ${first}`
  const texts = [
    ...(result?.warnings ?? []),
    ...(count > 0 ? [failure] : []),
    ...problems,
    ...(result === undefined ? [`no result: the run is ${status}`] : []),
  ]
  return texts.map((text) => ({ text, name }))
}

function machines(runs: readonly RunData[]): Section {
  const ranOn = runs.map(({ name, meta: { zeroth, machine } }) => ({
    name,
    zeroth,
    machine: Object.entries(machine).map(([key, value]) => [key, settingText(value)] as const),
  }))
  return machineSection(ranOn, 'run')
}

const mostSettings = 200
const mostGroups = 24
const mostSeeds = 50
/** Longer specs, such as those with a long start, are in the run itself alone. */
const longestSpec = 20_000
const caption = 'Settings that differ between the groups; what departs from the majority is marked'

/** The resolved spec: what all runs share, and what sets the groups apart. */
export function settingsSection(groups: readonly RunGroup[]): Section {
  const differing = differingPaths(groups.map(({ settings }) => settings))
  const content = html`${differing.length === 0 ? undefined : differences(groups, differing)}
${shared(groups, new Set(differing))}`
  return { id: 'settings', title: 'Settings', content }
}

/** The shorter of the two lists runs across, so that the table stays narrow. */
function differences(groups: readonly RunGroup[], differing: readonly string[]): Markup {
  const paths = differing.slice(0, mostSettings)
  const shown = groups.slice(0, mostGroups)
  const usual = new Map(paths.map((path) => [path, majority(groups, path)]))
  const cell = ({ settings }: RunGroup, path: string): Markup => {
    const [setting, most] = [settings.get(path), usual.get(path)]
    return settingCell(setting, most !== undefined && most.exact !== setting?.exact)
  }
  const table =
    paths.length < shown.length
      ? pageTable(caption, [groupColumn, ...paths.map((path) => pathColumn(path, cell))], shown)
      : pageTable(caption, [settingColumn, ...shown.map((group) => valuesColumn(group, cell))], paths)
  return html`<h3>What differs</h3>
${table}
${remainder(groups.length - mostGroups, 'groups')}${remainder(differing.length - mostSettings, 'settings')}`
}

type Cell = (group: RunGroup, path: string) => Markup
const groupColumn: PageColumn<RunGroup> = { title: 'Group', cell: groupName }
const settingColumn: PageColumn<string> = { title: 'Setting', cell: (path) => html`<code>${path}</code>` }

function pathColumn(path: string, cell: Cell): PageColumn<RunGroup> {
  return { title: html`<code>${path}</code>`, cell: (group) => cell(group, path) }
}

function valuesColumn(group: RunGroup, cell: Cell): PageColumn<string> {
  return { title: groupName(group), cell: (path) => cell(group, path) }
}

/** What more than half of the groups agree on, be it not to set it; nothing if they do not. */
function majority(groups: readonly RunGroup[], path: string): { readonly exact: string | undefined } | undefined {
  const counts = new Map<string | undefined, number>()
  for (const { settings } of groups) {
    const exact = settings.get(path)?.exact
    counts.set(exact, (counts.get(exact) ?? 0) + 1)
  }
  const found = [...counts].find(([, count]) => count * 2 > groups.length)
  return found === undefined ? undefined : { exact: found[0] }
}

function settingCell(setting: Setting | undefined, marked: boolean): Markup {
  const text = setting === undefined ? html`<span class="none">not set</span>` : html`${setting.text}`
  return marked ? html`<mark>${text}</mark>` : text
}

function shared(groups: readonly RunGroup[], differing: ReadonlySet<string>): Markup {
  const settings = [...(groups[0]?.settings ?? [])].filter(([path]) => !differing.has(path))
  const cards = new Map<string, [string, string][]>([['run', []]])
  for (const [path, { text }] of settings.slice(0, mostSettings)) {
    const [head, ...rest] = path.split('.')
    const [card, name] = rest.length === 0 ? ['run', path] : [head as string, rest.join('.')]
    cards.set(card, [...(cards.get(card) ?? []), [name, text]])
  }
  cards.get('run')?.push(['seed', seedsText(groups)])
  const tables = [...cards].map(([card, facts]) =>
    factTable(
      card,
      facts.map(([name, text]) => [html`<code>${name}</code>`, text]),
    ),
  )
  const title = differing.size === 0 ? undefined : html`<h3>What all share</h3>`
  return html`${title}<div class="cards">${tables}</div>${remainder(settings.length - mostSettings, 'settings')}`
}

function seedsText(groups: readonly RunGroup[]): string {
  const seeds = [...new Set(groups.flatMap(({ runs }) => runs.map((run) => seedOf(run) ?? 'unknown')))]
  const texts = seeds.slice(0, 12).map(String)
  return seeds.length > 12 ? `${texts.join(', ')}, … (${countText(seeds.length)} in all)` : texts.join(', ')
}

function remainder(count: number, what: string): Markup | undefined {
  return moreThanShown(count, `${what} are not shown; meta.json of each run has them all.`)
}

/** How to get the same numbers again: the spec of each group and the command. */
export function recipesSection(groups: readonly RunGroup[]): Section {
  const recipes = groups.slice(0, mostGroups).map((group) => recipe(group, groups.length > 1))
  return reproduceSection(html`<p>Save the spec as <code>spec.json</code> and run the command. If the objective gives the same answers, the same spec and seed lead to the same points, to the last bit.</p>
${recipes}
${moreThanShown(groups.length - mostGroups, 'groups are not shown; meta.json of each run holds its spec.')}`)
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
  return html`<p>The same with the ${seeds.length === 1 ? 'seed' : 'seeds'} ${seeds.slice(0, mostSeeds).join(', ')}${rest}.</p>`
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
