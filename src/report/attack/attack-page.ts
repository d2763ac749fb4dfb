import { ZerothError } from '../../core/errors.ts'
import { drawingDocument } from '../drawing-document.ts'
import { html, type Markup } from '../markup.ts'
import { counted } from '../number-text.ts'
import { machineSection, messageList, reproduceSection } from '../page/background.ts'
import { createdTime, type ReportPage, reportPage, type Section } from '../page/document.ts'
import { factTable, remark } from '../page/elements.ts'
import { type Figure, figuresMarkup } from '../page/figure.ts'
import { type AttackRun, type ComparedRun, panelsOf, type SettingRows, styledRuns } from './attack-run.ts'
import { comparisonSection, costSection, ownSettings, statisticsSection } from './comparison-tables.ts'
import { courseFigures, distortionFigures, universalFigures } from './figures.ts'
import { gallerySection } from './gallery.ts'
import { imagesSection, leftOutSection } from './images-table.ts'
import { limitPart } from './limit-figures.ts'
import { resultSection } from './result.ts'
import { robustnessFigures, successFigures } from './success-figures.ts'
import { summaryOf } from './summary.ts'

/** What the page of one evaluation, or of several in comparison, is made from. */
export interface AttackPageData {
  readonly title: string
  /** One evaluation, or several methods on the same images. */
  readonly runs: readonly ComparedRun[]
  /** What the classes 0, 1, 2, ... are called. */
  readonly classNames?: readonly string[] | undefined
  /** Names and values that all evaluations share: model, images, budget, seed and so on. */
  readonly settings: SettingRows
  readonly machine: Readonly<Record<string, string>>
  /** When the evaluation was made, as ISO text. */
  readonly created: string
  /** The version of zeroth that made it. */
  readonly zeroth: string
  /** In what else than their methods several evaluations differ, in words: their rates say little about each other then. */
  readonly differences?: readonly string[] | undefined
  /** What reruns it. */
  readonly command: string
}

const boxes =
  'A box reaches from the lower to the upper quartile over the images, with a stroke at the median; whiskers reach to the furthest value within 1.5 lengths of the box.'

/** Robustness evaluations as a single HTML file that needs nothing else, with figures as SVG files; one is a comparison of one. */
export function attackPage(data: AttackPageData): ReportPage {
  const { title, classNames, created, differences = [] } = data
  const runs = styledRuns(data.runs)
  const [first, ...others] = runs
  if (first === undefined) {
    throw new ZerothError('invalid-data', 'attackPage: there are no evaluations to show, give at least one')
  }
  const isSingle = others.length === 0
  const document = drawingDocument()
  const drawn = drawnParts(runs, document)
  const limits = limitPart(runs, document)
  return reportPage({
    title,
    kicker: 'zeroth robustness report',
    about: html`<span>${isSingle ? counted(first.report.images.length, 'image') : counted(runs.length, 'evaluation')}</span>${createdTime(created)}`,
    summary: summaryOf(runs, differences),
    source: isSingle ? 'evaluation' : 'evaluations',
    figures: [...limits.figures, ...drawn.flatMap(({ figures }) => figures)],
    sections: [
      resultSection(runs, differences),
      warningsSection(runs),
      gallerySection(runs, classNames),
      limits.section,
      isSingle ? statisticsSection(first) : comparisonSection(runs),
      ...drawn.map(figureSection),
      isSingle ? undefined : costSection(runs),
      imagesSection(runs, classNames),
      leftOutSection(runs, classNames),
      ...backgroundSections(data, runs),
    ],
  })
}

/** Figures that belong together, and how to read them. */
interface DrawnPart {
  readonly id: string
  readonly title: string
  readonly figures: readonly Figure[]
  readonly reading?: string | undefined
  /** Said where there are none; without it they are left out. */
  readonly none?: string
}

/** Success against queries and distortion, the course of the attacks, and how large the changes were. */
function drawnParts(runs: readonly AttackRun[], document: Document): DrawnPart[] {
  const panels = panelsOf(runs)
  const isUniversal = runs.some(({ report }) => report.universal !== null)
  const hasLimits = runs.some(({ report }) => report.summary.limits !== undefined)
  const within = hasLimits ? ' Of several limits, that is within the largest one.' : ''
  return [
    {
      id: 'success',
      title: 'Success',
      figures: [...successFigures(panels, document), ...robustnessFigures(panels, document)],
      reading: isUniversal
        ? 'A line shows the share of the images that the perturbation fools after that many queries.'
        : `A line shows the share of the attacked images first fooled within that many queries, or by a change of at most that length, as far as the attack found it.${within}`,
      none: 'No image was attacked: there is nothing to draw.',
    },
    {
      id: 'course',
      title: 'Course of the attack',
      figures: [...courseFigures(panels, document), ...universalFigures(panels, document)],
      reading: isUniversal
        ? undefined
        : `${boxes} Dots lie beyond that. An attack that has ended keeps its last value.`,
    },
    {
      id: 'distortion',
      title: 'Distortion of the images fooled',
      figures: distortionFigures(panels, document),
      reading: `${boxes} Each dot is an image.`,
    },
  ]
}

function figureSection({ id, title, figures, reading, none }: DrawnPart): Section | undefined {
  if (figures.length === 0 && none === undefined) return undefined
  const content = html`${figuresMarkup(figures, none ?? '')}${figures.length === 0 ? undefined : remark(reading)}`
  return { id, title, content }
}

function warningsSection(runs: readonly AttackRun[]): Section | undefined {
  const messages = runs.flatMap(({ name, report }) => report.warnings.map((text) => ({ text, name })))
  if (messages.length === 0) return undefined
  return { id: 'warnings', title: 'Warnings', content: messageList(messages, runs.length) }
}

/** Settings, machine, how to get the same numbers again, and what they are for. */
function backgroundSections(data: AttackPageData, runs: readonly AttackRun[]): Section[] {
  const machines = runs.map(({ name, zeroth = data.zeroth, machine = data.machine }) => ({
    name,
    zeroth,
    machine: Object.entries(machine),
  }))
  return [
    {
      id: 'settings',
      title: 'Settings',
      content: html`${ownSettings(runs)}<div class="wide">${factTable('Evaluation', data.settings)}</div>`,
    },
    machineSection(machines, 'evaluation'),
    reproduceSection(html`<p>The same command gives the same numbers if the model gives the same answers.</p>
<pre><code>${data.command}</code></pre>`),
    { id: 'use', title: 'Responsible use', content: responsibleUse },
  ]
}

const responsibleUse: Markup = html`<p>These pictures and numbers are for measuring and improving a model's robustness: attack only models that are yours or that you have been asked to test, and tell their owners what you find.</p>`
