import { countText, secondsText } from '../../../src/app/report/number-text.ts'
import { shortNumber } from '../../../src/app/report/table.ts'
import { type ClaimEvidence, type ClaimResult, claimsText } from './claims-section.ts'

import type { PaperFigure } from './figures.ts'
import { isEmphatic, isNumeric, type PaperTable, rowText, shownColumns } from './paper-table.ts'
import { commitText, minuteText, type Provenance, provenanceRows, type WorkSession } from './provenance.ts'
import type { PaperSection, ReproductionPageData } from './reproduction-page.ts'

/** The page of a reproduction as Markdown, for a repository: its figures are separate files. */
export function reproductionMarkdown(data: ReproductionPageData): string {
  const { title, claims, sections, settings, progress, provenance } = data
  const left = progress.cells - progress.done
  const parts = [
    `# ${plain(title)}`,
    left > 0 ? `**${countText(left)} of ${countText(progress.cells)} attacks have not finished.**` : '',
    table(
      ['', ''],
      provenanceRows(provenance, progress).map((row) => withCode(row, provenance)),
    ),
    provenance.sittings.length > 1 ? sessionsTable(provenance.sittings) : '',
    sameAgain(provenance),
    ...claimsParts(claims),
    ...sections.map(sectionText),
    '## Settings',
    table(
      ['', ''],
      settings.map(([name, value]) => [plain(name), plain(value)]),
    ),
    'Numbers in italics are those of the paper.',
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/** The verdicts and their evidence; nothing if no part of the paper was chosen. */
function claimsParts(claims: readonly ClaimResult[]): string[] {
  if (claims.length === 0) return []
  return [
    '## Claims of the paper',
    plain(claimsText),
    table(['claim', 'at equal iterations', 'at equal queries', 'verdict'], claims.map(verdictCells)),
    'The means are those of the method and of the one it is compared with. Their difference, the first minus the second, is averaged over the images, with its 99 % interval. For programs: [claims.json](claims.json).',
    ...claims.map(evidence),
  ]
}

function withCode([name, text]: readonly [string, string], { sittings }: Provenance): string[] {
  return [name, text === sittings[0]?.command ? code(text) : plain(text)]
}

function sameAgain({ command }: Provenance): string {
  return `To repeat it from scratch:\n\n\`\`\`sh\n${command}\n\`\`\``
}

function sessionsTable(sessions: readonly WorkSession[]): string {
  const rows = sessions.map((session) => [
    minuteText(session.began),
    session.seconds > 0 ? secondsText(session.seconds) : '–',
    String(session.attacks ?? '–'),
    plain(`${session.zeroth}, ${commitText(session)}`),
    session.command === undefined ? '–' : code(session.command),
  ])
  return table(['session', 'running time', 'attacks finished', 'zeroth, commit', 'command'], rows, [1, 2])
}

function verdictCells({ id, claim, iterations, queries, verdict }: ClaimResult): string[] {
  const short = (text: string): string => text.replace(' from this scale', '')
  return [`**${id}** ${plain(claim)}`, short(iterations.verdict), short(queries.verdict), `**${short(verdict)}**`]
}

function evidence({ id, claim, iterations, queries }: ClaimResult): string {
  const rows = [...iterations.evidence, ...queries.evidence].map(evidenceCells)
  const remarks = [...new Set([...iterations.remarks, ...queries.remarks])].map((remark) => `- ${plain(remark)}`)
  const heads = ['method', 'against', 'problem', 'measure', 'images', 'means', 'difference (99 %)', 'is']
  const parts = [`### ${id}: ${plain(claim)}`, rows.length === 0 ? '' : table(heads, rows, [4, 5, 6])]
  return [...parts, remarks.join('\n')].filter((part) => part !== '').join('\n\n')
}

function evidenceCells(row: ClaimEvidence): string[] {
  const { method, other, problem, measure, pairs, direction } = row
  const number = (value: number): string => (Number.isNaN(value) ? '–' : shortNumber(value))
  const means = `${number(row.mean)} / ${number(row.otherMean)}`
  const difference = `${number(row.difference)} (${number(row.low)} to ${number(row.high)})`
  return [...[method, other, problem, measure].map(plain), String(pairs), means, difference, direction]
}

function sectionText({ title, findings = [], tables, figures, remarks }: PaperSection): string {
  const shown = tables.filter(({ isHidden, rows }) => isHidden !== true && rows.length > 0)
  const files = [...new Set(tables.filter(({ rows }) => rows.length > 0).map(({ file }) => `${file}.csv`))]
  const parts = [
    `## ${plain(title)}`,
    ...findings.map(plain),
    ...figures.map(figureText),
    ...shown.map(paperTableText),
    figures.length === 0 && shown.length === 0 ? 'Not run yet.' : '',
    files.length === 0 ? '' : `All digits: ${files.map((file) => `[${file}](${file})`).join(', ')}.`,
    remarks.map((remark) => `- ${plain(remark)}`).join('\n'),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function figureText({ file, caption, chart: { note } }: PaperFigure): string {
  return `![${plain(caption)}](${file}.svg)\n\n${plain([`${caption}.`, note ?? ''].join(' ').trim())}`
}

function paperTableText({ caption, columns, rows, emphasis }: PaperTable): string {
  const shown = shownColumns(columns)
  const cells = rows.map((row) =>
    shown.map((column) => {
      const text = plain(rowText(row, column))
      if (text === '' || text === '–') return text
      if (column.paper === true) return `_${text}_`
      return isEmphatic(row, emphasis) ? `**${text}**` : text
    }),
  )
  const heads = shown.map(({ title, paper }) => (paper === true ? `_${plain(title)}_` : plain(title)))
  const numeric = shown.flatMap((column, i) => (isNumeric(column) ? [i] : []))
  return `${plain(caption)}.\n\n${table(heads, cells, numeric)}`
}

/** A table; columns of numbers are right-aligned. */
function table(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  numeric: readonly number[] = [],
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rule = heads.map((_, i) => (numeric.includes(i) ? '--:' : '---'))
  return [heads, rule, ...rows].map(line).join('\n')
}

/** A text in which no character means anything to Markdown or HTML. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|~#&]/g, (character) => `\\${character}`)
}

/** Words of a command line, inside a table too. */
function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`'
  return `${fence}${text.replace(/\s+/g, ' ').replaceAll('|', '\\|')}${fence}`
}
