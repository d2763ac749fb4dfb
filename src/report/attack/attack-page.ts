import type { AttackReport } from '../../attacks/records.ts'
import { html, textOf } from '../markup.ts'
import { countText } from '../number-text.ts'
import { createdTime, pageDocument } from '../page/document.ts'
import type { RunPage } from '../run/run-page.ts'
import { attackCss } from './attack-css.ts'
import { type AttackRun, type PictureSource, panelsOf, styledRuns } from './attack-run.ts'
import { attackWarnings } from './attack-warnings.ts'
import { type Background, background } from './background.ts'
import { figureSections } from './figure-sections.ts'
import { gallery } from './gallery.ts'
import { headline, type Threshold } from './headline.ts'
import { imagesTable } from './images-table.ts'
import { leftOutSection } from './left-out.ts'
import { statisticsSection } from './statistics.ts'

/** What the page of an evaluation is made from. */
export interface AttackPageData extends Background {
  readonly title: string
  readonly report: AttackReport
  /** What the classes 0, 1, 2, ... are called. */
  readonly classNames?: readonly string[] | undefined
  readonly pictures: PictureSource
  readonly threshold?: Threshold | undefined
}

const footer = 'Written by zeroth from what the evaluation recorded. Hover over a number to see all its digits.'

/** A robustness evaluation as a single HTML file that needs nothing else, with its figures as SVG files. */
export function attackPage(data: AttackPageData): RunPage {
  const { title, report, classNames, pictures, created, threshold } = data
  const runs = styledRuns([{ name: 'attack', problem: '', report, pictures }])
  const run = runs[0] as AttackRun
  const { sections, figures } = figureSections(panelsOf(runs))
  const about = html`<span>${countText(report.images.length)} ${report.images.length === 1 ? 'image' : 'images'}</span>${createdTime(created)}`
  const content = html`${headline(run, threshold)}${attackWarnings(runs)}${statisticsSection(run)}${sections}${gallery(run, classNames)}
<section aria-labelledby="images"><h2 id="images">All images</h2>
${imagesTable(run, classNames, 'Every image')}</section>
${leftOutSection(runs, classNames)}${background(data, runs)}`
  return {
    html: textOf(pageDocument({ title, kicker: 'zeroth robustness report', about, content, footer, css: attackCss })),
    figures,
  }
}
