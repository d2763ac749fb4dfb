import { plotChart } from '../../src/app/report/chart/plot-chart.ts'
import { drawingDocument } from '../../src/app/report/drawing-document.ts'
import { html } from '../../src/app/report/markup.ts'
import { type ReportPage, reportPage } from '../../src/app/report/page/document.ts'
import { type Figure, figuresMarkup, pageTable, type Section } from '../../src/app/report/page/elements.ts'
import { curveStyle } from '../../src/app/report/palette.ts'
import { Plot } from '../../src/app/report/plotting.ts'
import { type Column, textTable } from '../../src/app/report/table.ts'
import { markdownTable } from '../markdown-table.ts'
import { machineSection, pageColumns } from '../page-parts.ts'
import { suites } from './problems.ts'
import type { CocoRow } from './rows.ts'
import { type CocoStanding, type CocoTable, multiples, shareWithin, virtualBest } from './summary.ts'

/** What a page is made of. */
export interface CocoFindings {
  readonly rows: readonly CocoRow[]
  readonly tables: readonly CocoTable[]
  readonly machine: readonly string[]
}

const reading =
  'Shares of the 51 targets of COCO (1e2 to 1e-8 above the lowest value, of all problems) that were reached within so many ' +
  'evaluations per variable; - beyond the budget. Solvers know the bounds and no start; the seed is the instance.'
const bestReading =
  'Virtual best: another algorithm for every target, the best of 149 in the archive of COCO, which nothing can reach by itself.'

/** The tables as text. */
export function cocoText(tables: readonly CocoTable[]): string {
  return [
    ...tables.map((table) => `${titleOf(table)}\n${textTable(linesOf(table), columns)}`),
    reading,
    bestReading,
  ].join('\n\n')
}

/** The tables as a page of Markdown. */
export function cocoMarkdown({ tables, machine }: CocoFindings): string {
  const sections = tables.flatMap((table) => [`## ${titleOf(table)}`, markdownTable(linesOf(table), columns)])
  const intro = 'The same with runtime profiles is in [coco/index.html](coco/index.html).'
  return `${['# COCO', intro, reading, bestReading, machine.join('\n'), ...sections].join('\n\n')}\n`
}

/** The tables and the runtime profiles as a page that needs nothing else. */
export function cocoPage({ rows, tables, machine }: CocoFindings): ReportPage {
  const sections = tables.map((table) => ({ table, figure: profileFigure(table, rows) }))
  return reportPage({
    title: 'COCO',
    kicker: 'zeroth benchmark',
    about: html`${reading} ${bestReading}`,
    sections: [...sections.map(sectionOf), machineSection(machine)],
    figures: sections.map(({ figure }) => figure),
    source: 'benchmark',
  })
}

function sectionOf({ table, figure }: { readonly table: CocoTable; readonly figure: Figure }): Section {
  const content = html`${figuresMarkup([figure], '')}${pageTable('Shares of targets', pageColumns(columns), linesOf(table))}`
  return { id: `${table.suite}-${table.dim}`, title: titleOf(table), content }
}

/** The share of targets reached over the evaluations per variable: a line for each solver, and the virtual best as points. */
function profileFigure({ suite, dim, standings }: CocoTable, rows: readonly CocoRow[]): Figure {
  const lines = standings.map(({ solver }, i) => {
    const own = rows.filter((row) => row.suite === suite && row.dim === dim && row.solver === solver)
    const last = Math.min(...own.map(({ budget }) => budget)) / dim
    const x = places.filter((place) => place <= last)
    return { label: solver, style: curveStyle(i), x, y: x.map((place) => shareWithin(own, place * dim)) }
  })
  const best = Object.entries(virtualBest[suite]?.[dim] ?? {}).map(([at, share]) => ({ x: Number(at), y: share }))
  const title = `${titleOf({ suite, dim, standings })}: share of targets reached`
  const chart = plotChart(
    {
      x: { type: 'log', domain: [1, 1000], ticks: [1, 10, 100, 1000].map((at) => ({ at, text: String(at) })) },
      y: { type: 'linear', domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, text: String(at) })) },
      marks: [
        ...lines.map(({ style: { color, dash = 'none' }, x, y }) =>
          Plot.line({ length: x.length }, { x, y, stroke: color, strokeDasharray: dash, strokeWidth: 1.8 }),
        ),
        Plot.dot(best, { x: 'x', y: 'y', r: 4, fill: 'currentColor', symbol: 'star' }),
      ],
      entries: lines,
      series: [
        ...lines.map(({ label, style, x, y }) => ({ label, ...style, x, y })),
        ...(best.length === 0
          ? []
          : [{ label: 'virtual best', color: 'currentColor', x: best.map(({ x }) => x), y: best.map(({ y }) => y) }]),
      ],
    },
    {
      document: drawingDocument(),
      id: `${suite}-${dim}`,
      title,
      description: `One line per solver: the share of targets reached against evaluations per variable. Stars: the virtual best.`,
      xLabel: 'evaluations per variable',
      yLabel: 'share of targets',
      ...(best.length === 0 ? {} : { others: 'star: virtual best of 149 algorithms' }),
    },
  )
  return { file: `${suite}-${dim}`, chart, caption: title }
}

/** Evaluations per variable at which a profile is drawn. */
const places = Array.from({ length: 61 }, (_, i) => 10 ** (i / 20))

function titleOf({ suite, dim, standings }: CocoTable): string {
  const problems = Math.max(...standings.map((each) => each.problems))
  return `${suites[suite]?.title ?? suite}, d = ${dim} (${problems} problems)`
}

/** The standings, and the virtual best where it is known. */
function linesOf({ suite, dim, standings }: CocoTable): readonly Line[] {
  const best = virtualBest[suite]?.[dim]
  if (best === undefined) return standings
  return [...standings, { solver: 'virtual best', shares: multiples.map((k) => best[k]) }]
}

type Line = Pick<CocoStanding, 'solver' | 'shares'> & Partial<CocoStanding>

const columns: readonly Column<Line>[] = [
  { title: 'solver', cell: ({ solver }) => solver },
  ...multiples.map(
    (k, i): Column<Line> => ({ title: `${k} d`, align: 'right', cell: ({ shares }) => shares[i]?.toFixed(2) ?? '-' }),
  ),
  { title: 'ms/query', align: 'right', cell: ({ milliseconds }) => milliseconds?.toFixed(2) ?? '' },
  { title: 'n', align: 'right', cell: ({ problems }) => String(problems ?? '') },
  { title: 'infeasible', align: 'right', cell: ({ infeasible }) => String(infeasible ?? '') },
  { title: 'failed', align: 'right', cell: ({ failed }) => String(failed ?? '') },
]
