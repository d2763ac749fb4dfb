import { ZerothError } from '../../core/errors.ts'
import { html, type Markup, textOf } from '../markup.ts'
import { countText } from '../number-text.ts'
import { createdTime, pageDocument } from '../page/document.ts'
import { groupName } from '../page/group-name.ts'
import type { RunPage } from '../run/run-page.ts'
import { attackCss } from './attack-css.ts'
import { type AttackRun, type ComparedRun, panelsOf, styledRuns } from './attack-run.ts'
import { attackWarnings } from './attack-warnings.ts'
import { type Background, background } from './background.ts'
import { comparisonGallery } from './comparison-gallery.ts'
import { comparisonHeadline } from './comparison-headline.ts'
import { comparisonTables, furtherTables } from './comparison-tables.ts'
import { figureSections } from './figure-sections.ts'
import { imagesTable } from './images-table.ts'
import { leftOutSection } from './left-out.ts'

/** What the page of several evaluations is made from. */
export interface ComparisonPageData extends Background {
  readonly title: string
  /** Several methods on the same images. */
  readonly runs: readonly ComparedRun[]
  /** What the classes 0, 1, 2, ... are called. */
  readonly classNames?: readonly string[] | undefined
}

const footer = 'Written by zeroth from what the evaluations recorded. Hover over a number to see all its digits.'

/** Several methods on the same images side by side, as a single HTML file with its figures as SVG files. */
export function comparisonPage(data: ComparisonPageData): RunPage {
  const { title, classNames, created } = data
  if (data.runs.length === 0) {
    throw new ZerothError('invalid-data', 'comparisonPage: there are no evaluations to compare, give at least one')
  }
  const runs = styledRuns(data.runs)
  const { sections, figures } = figureSections(panelsOf(runs))
  const about = html`<span>${countText(runs.length)} evaluations</span>${createdTime(created)}`
  const content = html`${comparisonHeadline(runs)}${attackWarnings(runs)}${comparisonTables(runs)}${sections}${furtherTables(runs)}${comparisonGallery(runs, classNames)}
<section aria-labelledby="images"><h2 id="images">All images</h2>
${runs.map((run) => imagesOf(run, classNames))}</section>
${leftOutSection(runs, classNames)}${background(data, runs)}`
  return {
    html: textOf(pageDocument({ title, kicker: 'zeroth robustness report', about, content, footer, css: attackCss })),
    figures,
  }
}

function imagesOf(run: AttackRun, classNames: readonly string[] | undefined): Markup {
  const heading = html`<h3>${groupName({ label: run.name, style: run.style })} ${run.problem}</h3>`
  return html`${heading}${imagesTable(run, classNames, `Every image: ${run.name}, ${run.problem}`)}`
}
