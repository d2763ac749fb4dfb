import { html, type Markup } from '../markup.ts'
import { countText, shown } from '../number-text.ts'
import { groupName } from '../page/group-name.ts'
import { type PageColumn, pageTable } from '../page/table.ts'
import { shortNumber } from '../table.ts'
import { bestValue, isFinished, iterationsOf, queriesOf, type RunData, secondsOf, seedOf } from './run-data.ts'
import { order, type RunGroup } from './run-groups.ts'
import { pointText } from './run-result.ts'
import { statusBadge, stopText } from './status.ts'

interface Row {
  readonly run: RunData
  readonly group: RunGroup
}

const mostRows = 500
const shownEntries = 3

/** Every run by itself, best first. */
export function runsTable(groups: readonly RunGroup[]): Markup {
  const rows = groups
    .flatMap((group) => group.runs.map((run) => ({ run, group })))
    .sort((a, b) => order(bestValue(a.run), bestValue(b.run)))
  const more = rows.length - mostRows
  return html`<section aria-labelledby="runs"><h2 id="runs">Runs</h2>
${pageTable('Every run, best first', columns(groups.length > 1), rows.slice(0, mostRows))}
${more > 0 ? html`<p class="remark">${countText(more)} more are left out here; they count in everything above.</p>` : undefined}</section>\n`
}

function columns(grouped: boolean): PageColumn<Row>[] {
  const all: PageColumn<Row>[] = [
    { title: 'Run', cell: ({ run }) => run.name },
    { title: 'Best value', numeric: true, cell: ({ run }) => shown.value(bestValue(run)) },
    { title: 'Group', cell: ({ group }) => groupName(group) },
    { title: 'Seed', numeric: true, cell: ({ run }) => seedOf(run) },
    { title: 'Queries', numeric: true, cell: ({ run }) => shown.count(queriesOf(run)) },
    { title: 'Iterations', numeric: true, cell: ({ run }) => shown.count(iterationsOf(run)) },
    { title: 'Time', numeric: true, cell: ({ run }) => shown.duration(secondsOf(run)) },
    { title: 'Ended', cell: ({ run }) => (isFinished(run) ? stopText(run) : statusBadge(run)) },
    { title: 'Best point', cell: ({ run }) => html`<span class="point">${point(run)}</span>` },
  ]
  return all.filter(({ title }) => grouped || title !== 'Group')
}

function point({ result }: RunData): string | undefined {
  return result === undefined ? undefined : pointText(result.point, shownEntries, shortNumber)
}
