import type { ImageRecord } from '../../attacks/records.ts'
import { html, type Markup, type Piece } from '../markup.ts'
import { countText } from '../number-text.ts'
import { type PageColumn, pageTable } from '../page/table.ts'
import type { AttackRun } from './attack-run.ts'
import { classText } from './class-text.ts'
import { dashed, type MaybeNumber, maybe } from './dashed.ts'
import { classAfter, imageBadge, imageTitle } from './image-status.ts'

const mostRows = 2000
const mostOpenRows = 20

/** Every image in a table; a long one unfolds when it is wanted. */
export function imagesTable(run: AttackRun, classNames: readonly string[] | undefined, caption: string): Markup {
  const { images } = run.report
  if (images.length === 0) return html`<p>There are no images.</p>\n`
  const more = images.length - mostRows
  const table = html`${pageTable(caption, columns(classNames, run.report.universal !== null), images.slice(0, mostRows))}
${more > 0 ? html`<p class="remark">${countText(more)} more are left out here; they count in everything else.</p>` : undefined}`
  return unfolding(table, `${caption} (${countText(images.length)})`, images.length <= mostOpenRows)
}

/** Something long behind a line that unfolds it; short things stand as they are. */
export function unfolding(content: Markup, summary: string, open: boolean): Markup {
  return open ? content : html`<details><summary>${summary}</summary>${content}</details>\n`
}

function columns(classNames: readonly string[] | undefined, isUniversal: boolean): PageColumn<ImageRecord>[] {
  const seen = (index: MaybeNumber): string => classText(index, classNames)
  const number = (title: string, of: (image: ImageRecord) => MaybeNumber, as = dashed.distance) => ({
    title,
    numeric: true,
    cell: (image: ImageRecord): Piece => maybe(of(image), as),
  })
  return [
    { title: 'Image', cell: (image) => imageTitle(image) },
    { title: 'Status', cell: imageBadge },
    { title: 'Label', cell: ({ label }) => seen(label) },
    { title: 'Seen', cell: ({ predicted }) => seen(predicted) },
    { title: 'After', cell: (image) => seen(classAfter(image)) },
    // A shared perturbation has no queries of a single image.
    ...(isUniversal ? [] : [number('Queries', ({ queries }) => queries, dashed.effort)]),
    number('First success', ({ first }) => first?.queries, dashed.effort),
    number('l₂ first', ({ first }) => first?.l2),
    number('l₂ best', ({ best }) => best?.l2),
    number('l₂ end', ({ final }) => final?.l2),
    number('l∞ best', ({ best }) => best?.linf),
    number('l∞ end', ({ final }) => final?.linf),
    {
      title: '8-bit',
      cell: ({ success8bit }) => (success8bit === null ? '–' : success8bit ? 'fools' : 'does not fool'),
    },
    { title: 'Ended', cell: ({ stopReason }) => stopReason ?? '–' },
  ]
}
