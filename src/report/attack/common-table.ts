import type { AttackPoint, ImageRecord } from '../../attacks/records.ts'
import { summarize } from '../../core/statistics.ts'
import { html, type Markup } from '../markup.ts'
import { countText } from '../number-text.ts'
import { groupName } from '../page/group-name.ts'
import { type PageColumn, pageTable } from '../page/table.ts'
import type { AttackRun, Panel } from './attack-run.ts'
import { dashed } from './dashed.ts'

/**
 * Means over different images cannot be compared: a method that fools the hard ones, too, looks worse for it. So this
 * table is over the images that every method of a panel fooled; there is none for a single method or shared perturbations.
 */
export function commonTable({ title, runs }: Panel): Markup | undefined {
  if (runs.length < 2 || runs.some(({ report }) => report.universal !== null)) return undefined
  const common = commonlyFooled(runs)
  const where = title === '' ? '' : `, ${title}`
  if (common.size === 0) return html`<p class="remark">No image was fooled by every method${where}.</p>\n`
  const images = common.size === 1 ? 'the 1 image' : `the ${countText(common.size)} images`
  return pageTable(`Means over ${images} that every method fooled${where}`, columns(common), runs)
}

function columns(common: ReadonlySet<number>): PageColumn<AttackRun>[] {
  const mean = (title: string, of: (image: ImageRecord) => number | undefined, as = dashed.distance) => ({
    title,
    numeric: true,
    cell: ({ report }: AttackRun) => {
      const images = report.images.filter(({ index }) => common.has(index))
      return as(summarize(images.map((image) => of(image) ?? Number.NaN)).mean)
    },
  })
  const both = (when: string, of: (image: ImageRecord) => AttackPoint | null) => [
    mean(`l₂² ${when}`, (image) => of(image)?.l2sq),
    mean(`l∞ ${when}`, (image) => of(image)?.linf),
  ]
  return [
    { title: 'Method', cell: ({ name, style }) => groupName({ label: name, style }) },
    mean('First success, iterations', ({ first }) => first?.iteration, dashed.effort),
    mean('First success, queries', ({ first }) => first?.queries, dashed.effort),
    ...both('first', ({ first }) => first),
    ...both('best', ({ best }) => best),
    ...both('end', ({ final }) => final),
  ]
}

function commonlyFooled(runs: readonly AttackRun[]): Set<number> {
  const sets = runs.map(
    ({ report }) => new Set(report.images.filter(({ status }) => status === 'fooled').map(({ index }) => index)),
  )
  return new Set([...(sets[0] ?? [])].filter((index) => sets.every((set) => set.has(index))))
}
