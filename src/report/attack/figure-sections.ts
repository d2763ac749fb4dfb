import { html, type Markup } from '../markup.ts'
import { type Figure, figureFiles, figureMarkup } from '../page/figure-markup.ts'
import type { Panel } from './attack-run.ts'
import { courseFigures, distortionFigures, robustnessFigures, successFigures, universalFigures } from './figures.ts'

/** All figures of a page: as its sections, and as files that stand alone. */
export interface FigureSections {
  readonly sections: Markup
  readonly figures: Readonly<Record<string, string>>
}

const boxes =
  'A box reaches from the lower to the upper quartile over the images, with a stroke at the median; whiskers reach to the furthest value within 1.5 lengths of the box.'

/** Success against queries and distortion, the course of the attacks, and how large the changes were. */
export function figureSections(panels: readonly Panel[]): FigureSections {
  const success = [...successFigures(panels), ...robustnessFigures(panels)]
  const course = [...courseFigures(panels), ...universalFigures(panels)]
  const sizes = distortionFigures(panels)
  const isUniversal = panels.some(({ runs }) => runs.some(({ report }) => report.universal !== null))
  const sections = html`${section('success', 'Success', success, successText(isUniversal), 'No image was attacked: there is nothing to draw.')}
${section('course', 'Course of the attack', course, isUniversal ? undefined : `${boxes} Dots lie beyond that. An attack that has ended keeps its last value.`)}
${section('distortion', 'Distortion of the images fooled', sizes, `${boxes} Each dot is an image.`)}`
  return { sections, figures: figureFiles([...success, ...course, ...sizes]) }
}

function section(
  id: string,
  title: string,
  figures: readonly Figure[],
  text: string | undefined,
  empty?: string,
): Markup | undefined {
  if (figures.length === 0 && empty === undefined) return undefined
  const content =
    figures.length === 0
      ? html`<p>${empty}</p>`
      : html`<div class="figures">${figures.map(figureMarkup)}</div>
${text === undefined ? undefined : html`<p class="remark">${text}</p>`}`
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}</section>\n`
}

function successText(isUniversal: boolean): string {
  return isUniversal
    ? 'A line shows which share of the images the perturbation fools after so many queries.'
    : 'A line shows which share of the attacked images was fooled for the first time by so many queries, and which share can be fooled by a change of at most that length, as far as the attack has found it.'
}
