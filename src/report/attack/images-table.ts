import type { ImageRecord } from '../../attacks/records.ts'
import { html, type Markup } from '../markup.ts'
import { type MaybeNumber, shown } from '../number-markup.ts'
import { countText, shortened, someNames } from '../number-text.ts'
import { groupedBy } from '../page/background.ts'
import type { Section } from '../page/document.ts'
import { lineName, moreThanShown, type PageColumn, pageTable, remark, unfolding } from '../page/elements.ts'
import type { AttackRun } from './attack-run.ts'
import { classAfter, classText, imageBadge, imageTitle } from './shown-image.ts'

type ClassNames = readonly string[] | undefined

const mostImages = 2000
const mostOpenImages = 20
const mostLeftOut = 500
const mostOpenLeftOut = 12

/** Every image of every evaluation in a table; a long one unfolds when it is wanted. */
export function imagesSection(runs: readonly AttackRun[], classNames: ClassNames): Section {
  const [first, ...others] = runs
  const content =
    first !== undefined && others.length === 0
      ? imagesTable(first, classNames, 'Every image')
      : html`${runs.map((run) => {
          const heading = html`<h3>${lineName(run.name, run.style)} ${run.problem}</h3>`
          return html`${heading}${imagesTable(run, classNames, `Every image: ${run.name}, ${run.problem}`)}`
        })}`
  return { id: 'images', title: 'All images', content }
}

function imagesTable({ report: { images, universal } }: AttackRun, classNames: ClassNames, caption: string): Markup {
  if (images.length === 0) return html`<p>There are no images.</p>\n`
  const hasFailures = images.some(({ failedQueries }) => failedQueries > 0)
  const columns = imageColumns(classNames, universal !== null, hasFailures)
  const table = html`${pageTable(caption, columns, images.slice(0, mostImages))}
${remark('8-bit file: whether the picture fools the model as it was saved, with values rounded to 256 steps.')}
${moreThanShown(images.length - mostImages, 'are left out here; they count in everything else.')}`
  return unfolding(table, `${caption} (${countText(images.length)})`, images.length <= mostOpenImages)
}

function imageColumns(classNames: ClassNames, isUniversal: boolean, hasFailures: boolean): PageColumn<ImageRecord>[] {
  const seen = (index: MaybeNumber): string => classText(index, classNames)
  const number = (title: string, of: (image: ImageRecord) => MaybeNumber, as = shown.distance) => ({
    title,
    numeric: true,
    cell: (image: ImageRecord) => as(of(image)),
  })
  return [
    { title: 'Image', cell: imageTitle },
    { title: 'Status', cell: imageBadge },
    { title: 'Label', cell: ({ label }) => seen(label) },
    { title: 'Seen', cell: ({ predicted }) => seen(predicted) },
    { title: 'After', cell: (image) => seen(classAfter(image)) },
    // A shared perturbation has no queries of a single image.
    ...(isUniversal ? [] : [number('Queries', ({ queries }) => queries, shown.effort)]),
    ...(hasFailures ? [number('Failed queries', ({ failedQueries }) => failedQueries, shown.effort)] : []),
    number('First success', ({ first }) => first?.queries, shown.effort),
    number('l₂ first', ({ first }) => first?.l2),
    number('l₂ best', ({ best }) => best?.l2),
    number('l₂ end', ({ final }) => final?.l2),
    number('l∞ best', ({ best }) => best?.linf),
    number('l∞ end', ({ final }) => final?.linf),
    { title: '8-bit file', cell: ({ success8bit }) => savedText(success8bit) },
    { title: 'Ended', cell: ({ stopReason }) => stopReason ?? '–' },
  ]
}

function savedText(success8bit: boolean | null): string {
  if (success8bit === null) return '–'
  return success8bit ? 'fools' : 'does not fool'
}

/** An image that was not attacked, and by which methods. */
interface LeftOut {
  readonly image: ImageRecord
  readonly names: readonly string[]
}

/** The images that were skipped, failed or are unfinished, each once with its reason; nothing where there are none. */
export function leftOutSection(runs: readonly AttackRun[], classNames: ClassNames): Section | undefined {
  const rows = leftOut(runs)
  if (rows.length === 0) return undefined
  const title = rows.some(({ image }) => image.status === 'unfinished')
    ? 'Skipped, failed and unfinished images'
    : 'Skipped and failed images'
  const table = html`${pageTable(title, leftOutColumns(classNames, runs.length), rows.slice(0, mostLeftOut))}
${moreThanShown(rows.length - mostLeftOut, 'are not shown.')}`
  const content = unfolding(table, `All ${countText(rows.length)}`, rows.length <= mostOpenLeftOut)
  return { id: 'left-out', title, content }
}

function leftOut(runs: readonly AttackRun[]): LeftOut[] {
  const all = runs.flatMap(({ name, report }) => report.images.map((image) => ({ name, image })))
  const left = all.filter(
    ({ image: { status } }) => status === 'skipped' || status === 'failed' || status === 'unfinished',
  )
  const groups = groupedBy(left, ({ image }) => JSON.stringify([image.index, image.status, image.reason]))
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ image: first.image, names: [first, ...others].map(({ name }) => name) }],
  )
}

function leftOutColumns(classNames: ClassNames, runs: number): PageColumn<LeftOut>[] {
  const methods: PageColumn<LeftOut> = {
    title: 'Methods',
    cell: ({ names }) => (names.length === runs ? 'all' : someNames(names)),
  }
  return [
    { title: 'Image', cell: ({ image }) => imageTitle(image) },
    { title: 'Status', cell: ({ image }) => imageBadge(image) },
    { title: 'Label', cell: ({ image }) => classText(image.label, classNames) },
    { title: 'Seen', cell: ({ image }) => classText(image.predicted, classNames) },
    ...(runs > 1 ? [methods] : []),
    { title: 'Reason', cell: ({ image }) => html`<span class="reason">${shortened(image.reason ?? '–', 600)}</span>` },
  ]
}
