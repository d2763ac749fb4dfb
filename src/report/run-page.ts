import { html, type Markup, textOf, trusted } from './markup.ts'
import { comparison } from './page/comparison.ts'
import { convergence } from './page/convergence.ts'
import { machineSection } from './page/machine-section.ts'
import { overview } from './page/overview.ts'
import { pageCss } from './page/page-css.ts'
import { reproduce } from './page/reproduce.ts'
import { runDetails, runResult } from './page/run-result.ts'
import { runsTable } from './page/runs-table.ts'
import { settingsSection } from './page/settings-section.ts'
import { statusBadge, statusNotice } from './page/status.ts'
import { troubles } from './page/troubles.ts'
import { checkRuns, type RunData } from './run-data.ts'
import { type RunGroup, runGroups } from './run-groups.ts'

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

const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

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
  return { html: textOf(document(title, header(title, runs, groups), html`${content}${rest}`)), figures }
}

function document(title: string, head: Markup, content: Markup): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${trusted(pageCss)}</style>
</head>
<body>
${head}<main>
${content}</main>
<footer><p>Written by zeroth from what the runs recorded. Hover over a number to see all its digits.</p></footer>
</body>
</html>
`
}

function header(title: string, runs: readonly RunData[], groups: readonly RunGroup[]): Markup {
  const [run] = runs
  const about =
    runs.length === 1 && run !== undefined
      ? html`<span>Run ${run.name}</span>${created(run)}${statusBadge(run)}`
      : html`<span>${runs.length} runs${groups.length > 1 ? ` in ${groups.length} groups` : ''}</span>`
  return html`<header><p class="kicker">zeroth report</p>
<h1>${title}</h1>
<p class="about">${about}</p></header>\n`
}

function created({ meta }: RunData): Markup {
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z$/.exec(meta.created)
  return parts === null
    ? html`<span>${meta.created}</span>`
    : html`<time datetime="${meta.created}">${parts[1]} ${parts[2]} UTC</time>`
}

function commonTarget(runs: readonly RunData[]): number | undefined {
  const targets = [...new Set(runs.map(({ meta }) => meta.spec.target))]
  return targets.length === 1 && typeof targets[0] === 'number' ? targets[0] : undefined
}
