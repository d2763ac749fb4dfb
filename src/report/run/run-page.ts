import { drawingDocument } from '../drawing-document.ts'
import { html, type Markup } from '../markup.ts'
import { countText, someNames } from '../number-text.ts'
import { type Message, machineSection, messageList } from '../page/background.ts'
import { createdTime, type ReportPage, reportPage, type Section } from '../page/document.ts'
import { comparison, runsTable } from './comparison.ts'
import { convergenceFigures, convergenceSection } from './convergence.ts'
import { runPhases } from './phases.ts'
import { overview, runDetails, runResult, statusBadge, statusNotice } from './result.ts'
import { checkRuns, type RunData } from './run-data.ts'
import { type Ranking, type RunGroup, runGroups, settingText } from './run-groups.ts'
import { recipesSection, settingsSection } from './spec-sections.ts'
import { summaryOf } from './summary.ts'

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
  const failed = count === 1 ? '1 query failed' : `${countText(count)} queries failed`
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
