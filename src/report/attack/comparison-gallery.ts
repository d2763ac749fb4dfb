import type { ImageRecord } from '../../attacks/records.ts'
import { html, type Markup } from '../markup.ts'
import { countText } from '../number-text.ts'
import { groupName } from '../page/group-name.ts'
import { type AttackRun, attackedImages } from './attack-run.ts'
import { classText } from './class-text.ts'
import { distanceText } from './dashed.ts'
import { noPicture, sourcesOf } from './gallery.ts'
import { changeOf, classAfter, imageTitle } from './image-status.ts'
import { picture } from './picture.ts'

const mostImages = 12

/** The same images as every method has changed them. */
export function comparisonGallery(
  runs: readonly AttackRun[],
  classNames: readonly string[] | undefined,
): Markup | undefined {
  const cases = runs.flatMap((run) => attackedImages(run).map((image) => ({ run, image })))
  const pictured = cases.filter(({ run, image }) => run.pictures !== undefined && image.files !== null)
  const indices = [...new Set(pictured.map(({ image }) => image.index))].sort((a, b) => a - b)
  if (indices.length === 0) return undefined
  const rows = indices.slice(0, mostImages).map((index) =>
    row(
      cases.filter(({ image }) => image.index === index),
      classNames,
    ),
  )
  const more = indices.length - mostImages
  return html`<section aria-labelledby="gallery"><h2 id="gallery">Pictures</h2>
${rows}
${more > 0 ? html`<p class="remark">The first ${mostImages} of ${countText(indices.length)} images that a method fooled are shown.</p>` : undefined}</section>\n`
}

interface Case {
  readonly run: AttackRun
  readonly image: ImageRecord
}

function row(cases: readonly Case[], classNames: readonly string[] | undefined): Markup {
  const [first] = cases
  if (first === undefined) return html``
  const title = imageTitle(first.image)
  const before = classText(first.image.predicted ?? first.image.label, classNames)
  const original = cases.map(({ run, image }) => sourcesOf(run, image).original).find((each) => each !== undefined)
  return html`<h3>${title}: ${before}</h3>
<div class="row"><div class="shot"><span class="group">original</span>
${picture(original, `${title}, untouched: ${before}`) ?? noPicture}<b>${before}</b></div>
${cases.map((each) => methodShot(each, title, cases, classNames))}</div>\n`
}

function methodShot(
  { run, image }: Case,
  title: string,
  cases: readonly Case[],
  classNames: readonly string[] | undefined,
): Markup {
  const after = classText(classAfter(image), classNames)
  const fooled = image.status === 'fooled'
  const several = new Set(cases.map(({ run: { problem } }) => problem)).size > 1
  const { adversarial } = sourcesOf(run, image)
  const said = `${title}, changed by ${run.name}: ${after}`
  return html`<div class="shot">${groupName({ label: run.name, style: run.style })}
${picture(adversarial, said) ?? noPicture}<b>${fooled ? '→' : 'still'} ${after}</b>${several ? html`${run.problem}<br/>` : undefined}${countText(image.first?.queries ?? image.queries)} queries${fooled ? html`<br/>l₂ ${distanceText(changeOf(image).l2)}` : undefined}</div>`
}
