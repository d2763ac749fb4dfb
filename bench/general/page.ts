import { drawingDocument } from '../../src/app/report/drawing-document.ts'
import { html, type Markup } from '../../src/app/report/markup.ts'
import { type ReportPage, reportPage } from '../../src/app/report/page/document.ts'

import { type Figure, figuresMarkup, pageTable, type Section } from '../../src/app/report/page/elements.ts'

import { type CurveStyle, curveStyle, distinctStyles } from '../../src/app/report/palette.ts'
import { machineSection, pageColumns } from '../page-parts.ts'
import { profileChart } from './profile-chart.ts'
import type { Row } from './rows.ts'
import { type GroupSummary, grouped, level, type Standing } from './summary.ts'
import { goalColumns, groupColumns, groupTitle, reading } from './text.ts'
import { accuracyText, type Verdict } from './verdicts.ts'

/** What a page is made of. */
export interface Findings {
  readonly rows: readonly Row[]
  readonly summaries: readonly GroupSummary[]
  /** The method that goals are stated for, and how it stands. */
  readonly method: string
  readonly verdicts: readonly Verdict[]
  /** Command, commit, date and machine, as lines of Markdown. */
  readonly machine: readonly string[]
}

/** The accuracies that are drawn. */
const drawn = [1e-1, 1e-3, 1e-5]

/** How the methods that are drawn look, the same in all figures. */
type Styles = ReadonlyMap<string, CurveStyle>

/** Methods of this library that are drawn, with unbroken lines; and as many peers, dashed. */
const linesPerKind = distinctStyles / 2

/** The benchmark as a page that needs nothing else, and its figures. */
export function generalPage(findings: Findings): ReportPage {
  const styles = drawnMethods(findings)
  const groups = findings.summaries.map((summary) => ({
    summary,
    figures: groupFigures(summary, findings.rows, styles),
  }))
  return reportPage({
    title: 'General minimisation',
    kicker: 'zeroth benchmark',
    about: html`The methods of zeroth and other minimisers under one oracle that counts every query and stops at the budget.`,
    sections: [goalsSection(findings), ...groups.map(groupSection), machineSection(findings.machine)],
    figures: groups.flatMap(({ figures }) => figures),
    source: 'benchmark',
  })
}

/** The method with goals first, then those that solve most over all groups. */
function drawnMethods({ summaries, method }: Findings): Styles {
  const all = grouped(
    summaries.flatMap(({ standings }) => standings),
    ({ solver }) => solver,
  ).map((standings) => ({
    solver: (standings[0] as Standing).solver,
    own: (standings[0] as Standing).own,
    level: standings.reduce((total, each) => total + level(each), 0),
  }))
  const ranked = all.sort((a, b) => Number(b.solver === method) - Number(a.solver === method) || b.level - a.level)
  const kind = (own: boolean) => ranked.filter((each) => each.own === own).slice(0, linesPerKind)
  const styled = (own: boolean) =>
    kind(own).map(({ solver }, i) => [solver, curveStyle(own ? i : linesPerKind + i)] as const)
  return new Map([...styled(true), ...styled(false)])
}

/** Data profiles of a group; what is left of large problems is a table alone. */
function groupFigures({ group, title }: GroupSummary, rows: readonly Row[], styles: Styles): Figure[] {
  if (group.startsWith('large')) return []
  const lines = [...styles].flatMap(([label, style]) => {
    const own = rows.filter((row) => row.group === group && row.solver === label)
    return own.length === 0 ? [] : [{ label, style, rows: own }]
  })
  return drawn.map((tau) => {
    const what = `${title}: share of problems solved to ${accuracyText(tau)}`
    const file = `${group}-${accuracyText(tau)}`
    const chart = profileChart(lines, tau, {
      document: drawingDocument(),
      id: file,
      title: what,
      description: `One line per method: the share of problems solved to ${accuracyText(tau)} by any query, against simplex gradients.`,
      xLabel: 'simplex gradients (d + 1 queries)',
      yLabel: 'share of problems',
    })
    return { file, chart, caption: what }
  })
}

function goalsSection({ method, verdicts }: Findings): Section {
  const table = pageTable(`Goals for ${method}`, pageColumns(goalColumns), verdicts)
  return { id: 'goals', title: 'Goals', content: html`<p>${reading}</p>\n${table}` }
}

function groupSection({ summary, figures }: { readonly summary: GroupSummary; readonly figures: readonly Figure[] }) {
  const caption = summary.group.startsWith('large')
    ? 'Left of the way from the start to the best value known: by the best query / by the reported point, medians over seeds'
    : 'Shares of problems solved'
  const table: Markup = pageTable(caption, pageColumns(groupColumns(summary)), summary.standings)
  const drawings = figures.length === 0 ? undefined : figuresMarkup(figures, '')
  return { id: summary.group, title: groupTitle(summary), content: html`${drawings}${table}` }
}
