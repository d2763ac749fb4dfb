import { withSection } from '../../scripts/generate/markdown.ts'
import type { Column } from '../../src/app/report/table.ts'
import { markdownTable } from '../markdown-table.ts'
import { median } from '../race.ts'
import { groups } from './groups.ts'
import type { Findings } from './page.ts'
import { type Cell, grouped, type Standing } from './summary.ts'
import { goalColumns } from './text.ts'
import { accuracyText, remainderText, shareText } from './verdicts.ts'

/** The cells that a reader chooses by: how much is solved soon, later, and exactly. */
const shown: readonly Cell[] = [
  [1e-3, 25],
  [1e-3, 100],
  [1e-5, 500],
]

/** What one method did on all groups. */
interface Line {
  readonly solver: string
  readonly standings: ReadonlyMap<string, Standing>
}

/** The page docs/which-method.md with the tables of these findings. */
export function withTables(page: string, findings: Findings): string {
  const how = `Accuracy @ simplex gradients: ${shown.map(([tau, k]) => `${accuracyText(tau)} @ ${k}`).join(' / ')}.`
  const lines = methodLines(findings)
  const exact = tableOf(lines, ['more-wild', 'bbob-5', 'bbob-20', 'box'], shareCell)
  const noisy = tableOf(lines, ['multiplicative', 'additive'], shareCell)
  const large = tableOf(lines, ['large-100', 'large-1000', 'large-10000'], remainderCell)
  const sections: Readonly<Record<string, string>> = {
    'bench-exact': `${how}\n\n${exact}`,
    'bench-noisy': `${how}\n\n${noisy}`,
    'bench-large': large,
    'bench-goals': markdownTable(findings.verdicts, goalColumns),
    'bench-machine': findings.machine.join('\n'),
  }
  return Object.entries(sections).reduce((text, [name, section]) => withSection(text, name, section), page)
}

/** Methods of this library first, each kind by how often it is listed first within its groups. */
function methodLines({ summaries }: Findings): Line[] {
  const all = summaries.flatMap(({ group, standings }) =>
    standings.map((standing, rank) => ({ group, standing, rank })),
  )
  return grouped(all, ({ standing }) => standing.solver)
    .map((entries) => ({
      solver: (entries[0] as (typeof all)[number]).standing.solver,
      own: entries.some(({ standing }) => standing.own),
      rank: median(entries.map(({ rank }) => rank)),
      standings: new Map(entries.map(({ group, standing }) => [group, standing])),
    }))
    .sort((a, b) => Number(b.own) - Number(a.own) || a.rank - b.rank)
}

function tableOf(lines: readonly Line[], names: readonly string[], cell: (standing: Standing) => string): string {
  const there = lines.filter(({ standings }) => names.some((name) => standings.has(name)))
  const columns: Column<Line>[] = names.map((name) => ({
    title: groups[name]?.title ?? name,
    align: 'right',
    cell: ({ standings }) => {
      const standing = standings.get(name)
      return standing === undefined ? '-' : cell(standing)
    },
  }))
  const times: Column<Line> = {
    title: 'us per query',
    align: 'right',
    cell: ({ standings }) => {
      const own = names.flatMap((name) => standings.get(name)?.microseconds ?? [])
      return median(own).toFixed(0)
    },
  }
  return markdownTable(there, [{ title: 'method', cell: ({ solver }) => `\`${solver}\`` }, ...columns, times])
}

function shareCell({ cells }: Standing): string {
  return shown.map(([tau, k]) => shareText(cells.find((cell) => cell.tau === tau && cell.k === k)?.any)).join(' / ')
}

function remainderCell({ remainders }: Standing): string {
  return Object.values(remainders)
    .map(({ best }) => remainderText(best))
    .join(' / ')
}
