import { drawingDocument } from '../../src/app/report/drawing-document.ts'
import { html } from '../../src/app/report/markup.ts'
import { type ReportPage, reportPage } from '../../src/app/report/page/document.ts'

import { type Figure, figuresMarkup, pageTable, type Section } from '../../src/app/report/page/elements.ts'

import { type CurveStyle, curveStyle, distinctStyles } from '../../src/app/report/palette.ts'
import { machineSection, pageColumns } from '../page-parts.ts'
import { cellChart } from './charts.ts'
import type { Row } from './rows.ts'
import { type CellSummary, rowsOf } from './summary.ts'
import { cellColumns, cellTitle, goalColumns, reading } from './text.ts'
import type { Verdict } from './verdicts.ts'

/** What a page is made of. */
export interface Findings {
  readonly rows: readonly Row[]
  readonly summaries: readonly CellSummary[]
  /** The method that goals are stated for, and how it stands. */
  readonly method: string
  readonly verdicts: readonly Verdict[]
  /** Command, commit, date and machine, as lines of Markdown. */
  readonly machine: readonly string[]
}

type Styles = ReadonlyMap<string, CurveStyle>

/** Methods of this library with unbroken lines, peers with dashed ones. */
const linesPerKind = distinctStyles / 2

/** The benchmark as a page that needs nothing else, and its figures. */
export function attacksPage(findings: Findings): ReportPage {
  const styles = stylesOf(findings)
  const sections = findings.summaries.map((summary) => ({
    summary,
    figure: cellFigure(summary, findings.rows, styles),
  }))
  return reportPage({
    title: 'Attacks on classifiers',
    kicker: 'zeroth benchmark',
    about: html`The attack of zeroth and those of other packages on the same images, queries counted at the network.`,
    sections: [goalsSection(findings), ...sections.map(cellSection), machineSection(findings.machine)],
    figures: sections.map(({ figure }) => figure),
    source: 'benchmark',
  })
}

/** The same style for a method in all figures: the one with goals first. */
function stylesOf({ summaries, method }: Findings): Styles {
  const all = new Map(summaries.flatMap(({ standings }) => standings.map(({ solver, own }) => [solver, own] as const)))
  const names = (own: boolean) => [...all].filter(([, each]) => each === own).map(([name]) => name)
  const sorted = names(true).sort((a, b) => Number(b === method) - Number(a === method))
  const styled = (list: readonly string[], from: number) =>
    list.slice(0, linesPerKind).map((name, i) => [name, curveStyle(from + i)] as const)
  return new Map([...styled(sorted, 0), ...styled(names(false), linesPerKind)])
}

function cellFigure({ name, cell }: CellSummary, rows: readonly Row[], styles: Styles): Figure {
  const members = rowsOf(name, rows)
  const lines = [...styles].flatMap(([label, style]) => {
    const own = members.filter(({ solver }) => solver === label)
    return own.length === 0 ? [] : [{ label, style, rows: own }]
  })
  const isLimited = cell.limit !== undefined
  const what = isLimited ? 'share of runs that succeeded' : 'median l2 of the nearest success'
  const caption = `${cell.title}: ${what}`
  const chart = cellChart(cell, lines, {
    document: drawingDocument(),
    id: figureName(name),
    title: caption,
    description: `One line per method: ${what}, against queries.`,
    xLabel: 'queries',
    yLabel: what,
  })
  return { file: figureName(name), chart, caption }
}

/** The name of a cell as part of a file name. */
export function figureName(cell: string): string {
  return cell.replaceAll('/', '-')
}

function goalsSection({ method, verdicts }: Findings): Section {
  const table = pageTable(`Goals for ${method}`, pageColumns(goalColumns), verdicts)
  return { id: 'goals', title: 'Goals', content: html`<p>${reading}</p>\n${table}` }
}

function cellSection({ summary, figure }: { readonly summary: CellSummary; readonly figure: Figure }): Section {
  const table = pageTable(summary.cell.title, pageColumns(cellColumns(summary)), summary.standings)
  return {
    id: figureName(summary.name),
    title: cellTitle(summary),
    content: html`${figuresMarkup([figure], '')}${table}`,
  }
}
