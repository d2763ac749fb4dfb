import { markdownTable } from '../markdown-table.ts'
import type { Findings } from './page.ts'
import { goalColumns, groupColumns, groupTitle, reading } from './text.ts'

/** The benchmark as a page of Markdown. */
export function generalMarkdown({ method, verdicts, summaries, machine }: Findings): string {
  const groups = summaries.flatMap((summary) => [
    `## ${groupTitle(summary)}`,
    markdownTable(summary.standings, groupColumns(summary)),
  ])
  const intro =
    'Methods of zeroth first, then other minimisers; the same with figures is in [general/index.html](general/index.html).'
  return `${[
    '# General minimisation',
    intro,
    machine.join('\n'),
    `## Goals for \`${method}\``,
    reading,
    markdownTable(verdicts, goalColumns),
    ...groups,
  ].join('\n\n')}\n`
}
