import { html, type Markup } from '../markup.ts'
import { countText } from '../number-text.ts'
import { groupName } from '../page/group-name.ts'
import { factTable, type PageColumn, pageTable } from '../page/table.ts'
import { seedOf } from './run-data.ts'
import type { RunGroup } from './run-groups.ts'
import { differingPaths, type Setting } from './settings.ts'

const mostSettings = 200
const mostGroups = 24
const caption = 'Settings that differ between the groups; what departs from the majority is marked'

/** The resolved spec: what all runs share, and what sets the groups apart. */
export function settingsSection(groups: readonly RunGroup[]): Markup {
  const differing = differingPaths(groups.map(({ settings }) => settings))
  return html`<section aria-labelledby="settings"><h2 id="settings">Settings</h2>
${differing.length === 0 ? undefined : differences(groups, differing)}
${shared(groups, new Set(differing))}</section>\n`
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

/** What more than half of the groups agree on, be it not to set it; nothing where they do not. */
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
  return count > 0
    ? html`<p class="remark">${countText(count)} more ${what} are not shown; meta.json of each run has them all.</p>`
    : undefined
}
