import { html, type Markup, textOf } from '../markup.ts'
import { createdTime, pageDocument } from '../page/document.ts'
import { comparison } from './comparison.ts'
import { convergence } from './convergence.ts'
import { machineSection } from './machine-section.ts'
import { overview } from './overview.ts'
import { reproduce } from './reproduce.ts'
import { checkRuns, type RunData } from './run-data.ts'
import { type RunGroup, runGroups } from './run-groups.ts'
import { runDetails, runResult } from './run-result.ts'
import { runsTable } from './runs-table.ts'
import { settingsSection } from './settings-section.ts'
import { statusBadge, statusNotice } from './status.ts'
import { troubles } from './troubles.ts'

/** What a page is called, and what it measures runs by. */
export interface RunPageOptions {
  readonly title: string
  /** A value worth reaching: drawn into the figures, and counted how often and how soon. That of the specs unless given. */
  readonly target?: number | undefined
}

/** A page, and its figures as SVG files by name, without the `.svg`. */
export interface RunPage {
  readonly html: string
  readonly figures: Readonly<Record<string, string>>
}

const footer = 'Written by zeroth from what the runs recorded. Hover over a number to see all its digits.'

/**
 * One run, or several in comparison, as a single HTML file that needs nothing else, with its figures as SVG files. Only
 * what the runs recorded is shown; the same runs give the same bytes.
 */
export function runPage(runs: readonly RunData[], { title, target = commonTarget(runs) }: RunPageOptions): RunPage {
  checkRuns(runs)
  const groups = runGroups(runs)
  const { section, figures } = convergence(groups, target)
  const [only] = runs
  const content =
    runs.length === 1 && only !== undefined
      ? html`${statusNotice(only)}${runResult(only)}${section}${runDetails(only)}`
      : html`${overview(groups)}${section}${comparison(groups, target)}${runsTable(groups)}`
  const rest = html`${troubles(runs)}${settingsSection(groups)}${machineSection(runs)}${reproduce(groups)}`
  const page = { title, kicker: 'zeroth report', about: about(runs, groups), content: html`${content}${rest}`, footer }
  return { html: textOf(pageDocument(page)), figures }
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
