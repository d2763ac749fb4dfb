import type { ImageRecord } from '../../attacks/records.ts'
import { html, type Markup } from '../markup.ts'
import { countText } from '../number-text.ts'
import { type PageColumn, pageTable } from '../page/table.ts'
import { shortened } from '../shortened.ts'
import type { AttackRun } from './attack-run.ts'
import { classText } from './class-text.ts'
import { imageBadge, imageTitle } from './image-status.ts'
import { unfolding } from './images-table.ts'

const mostRows = 500
const mostOpenRows = 12
const mostNames = 6

/** An image that was not attacked, and where. */
interface LeftOut {
  readonly image: ImageRecord
  readonly names: readonly string[]
}

/** The images that were skipped or failed, each once with its reason; nothing where there are none. */
export function leftOutSection(
  runs: readonly AttackRun[],
  classNames: readonly string[] | undefined,
): Markup | undefined {
  const rows = leftOut(runs)
  if (rows.length === 0) return undefined
  const more = rows.length - mostRows
  const table = html`${pageTable('Skipped and failed images', columns(classNames, runs.length), rows.slice(0, mostRows))}
${more > 0 ? html`<p class="remark">${countText(more)} more are not shown.</p>` : undefined}`
  return html`<section aria-labelledby="left-out"><h2 id="left-out">Skipped and failed images</h2>
${unfolding(table, `All ${countText(rows.length)}`, rows.length <= mostOpenRows)}</section>\n`
}

function leftOut(runs: readonly AttackRun[]): LeftOut[] {
  const found = new Map<string, { image: ImageRecord; names: string[] }>()
  for (const { name, report } of runs) {
    for (const image of report.images.filter(({ status }) => status === 'skipped' || status === 'failed')) {
      const key = JSON.stringify([image.index, image.status, image.reason])
      const known = found.get(key)
      if (known === undefined) found.set(key, { image, names: [name] })
      else known.names.push(name)
    }
  }
  return [...found.values()]
}

function columns(classNames: readonly string[] | undefined, runs: number): PageColumn<LeftOut>[] {
  const where: PageColumn<LeftOut> = { title: 'Methods', cell: ({ names }) => namesText(names, runs) }
  return [
    { title: 'Image', cell: ({ image }) => imageTitle(image) },
    { title: 'Status', cell: ({ image }) => imageBadge(image) },
    { title: 'Label', cell: ({ image }) => classText(image.label, classNames) },
    { title: 'Seen', cell: ({ image }) => classText(image.predicted, classNames) },
    ...(runs > 1 ? [where] : []),
    { title: 'Reason', cell: ({ image }) => html`<span class="reason">${shortened(image.reason ?? '–', 600)}</span>` },
  ]
}

function namesText(names: readonly string[], runs: number): string {
  if (names.length === runs) return 'all'
  const rest = names.length > mostNames ? ` and ${countText(names.length - mostNames)} more` : ''
  return `${names.slice(0, mostNames).join(', ')}${rest}`
}
