import { drawingDocument } from '../../src/report/drawing-document.ts'
import { html, type Markup } from '../../src/report/markup.ts'
import { type ReportPage, reportPage, type Section } from '../../src/report/page/document.ts'
import { type Figure, factTable, figuresMarkup, pageTable } from '../../src/report/page/elements.ts'
import type { Column } from '../../src/report/table.ts'
import { profileChart } from './profile-chart.ts'
import type { Row } from './rows.ts'
import type { GroupSummary } from './summary.ts'
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

/** The benchmark as a page that needs nothing else, and its figures. */
export function generalPage(findings: Findings): ReportPage {
  const groups = findings.summaries.map((summary) => ({ summary, figures: groupFigures(summary, findings.rows) }))
  return reportPage({
    title: 'General minimisation',
    kicker: 'zeroth benchmark',
    about: html`The methods of zeroth and other minimisers under one oracle that counts every query and stops at the budget.`,
    sections: [goalsSection(findings), ...groups.map(groupSection), machineSection(findings.machine)],
    figures: groups.flatMap(({ figures }) => figures),
    source: 'benchmark',
  })
}

/** Data profiles of a group; what is left of large problems is a table alone. */
function groupFigures({ group, title, standings }: GroupSummary, rows: readonly Row[]): Figure[] {
  if (group.startsWith('large')) return []
  const methods = standings.map(({ solver }) => rows.filter((row) => row.group === group && row.solver === solver))
  return drawn.map((tau) => {
    const what = `${title}: share of problems solved to ${accuracyText(tau)}`
    const file = `${group}-${accuracyText(tau)}`
    const chart = profileChart(methods, tau, {
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

function machineSection(lines: readonly string[]): Section {
  const facts = lines.map((line) => {
    const [name = '', ...rest] = line.replace(/^- /, '').replaceAll('`', '').split(': ')
    return [rest.length === 0 ? 'Node' : name, rest.length === 0 ? name : rest.join(': ')] as const
  })
  return { id: 'machine', title: 'How it was measured', content: factTable('Command and machine', facts) }
}

function pageColumns<T>(columns: readonly Column<T>[]) {
  return columns.map(({ title, align, cell }) => ({ title, numeric: align === 'right', cell }))
}
