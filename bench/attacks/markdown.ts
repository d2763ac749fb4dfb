import { markdownTable } from '../markdown-table.ts'
import { type Findings, figureName } from './page.ts'
import { cellColumns, cellTitle, goalColumns, reading } from './text.ts'

/** The benchmark as a page of Markdown. */
export function attacksMarkdown({ method, verdicts, summaries, machine }: Findings): string {
  const cells = summaries.flatMap((summary) => [
    `## ${cellTitle(summary)}`,
    markdownTable(summary.standings, cellColumns(summary)),
    `![${summary.cell.title}](attacks/${figureName(summary.name)}.svg)`,
  ])
  const intro =
    '`ours` is what `zeroth attack` does where no method is named; the attacks of other packages follow. The same on one page is in [attacks/index.html](attacks/index.html).'
  return `${[
    '# Attacks on classifiers',
    intro,
    machine.join('\n'),
    `## Goals for \`${method}\``,
    reading,
    markdownTable(verdicts, goalColumns),
    ...cells,
  ].join('\n\n')}\n`
}
