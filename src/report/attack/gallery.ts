import type { ImageRecord, PictureFiles } from '../../attacks/records.ts'
import { html, type Markup } from '../markup.ts'
import { countText, distanceText } from '../number-text.ts'
import type { Section } from '../page/document.ts'
import { lineName, remark, unfolding } from '../page/elements.ts'
import { type AttackRun, attackedImages } from './attack-run.ts'
import {
  changeOf,
  classAfter,
  classText,
  effortSentence,
  imageBadge,
  imageTitle,
  isShownFooled,
  picture,
} from './shown-image.ts'

type ClassNames = readonly string[] | undefined

/** Images of one evaluation; those beyond the open ones unfold when they are wanted. */
const mostImages = 60
const openImages = 9
/** Images of a comparison. */
const mostRows = 12
/** Characters of all pictures of a page: large pictures would make it unwieldy. */
const mostCharacters = 16_000_000

/** The pictures of the images that were attacked; nothing where there are none. */
export function gallerySection(runs: readonly AttackRun[], classNames: ClassNames): Section | undefined {
  const [first, ...others] = runs
  const content = first !== undefined && others.length === 0 ? cards(first, classNames) : comparedRows(runs, classNames)
  return content === undefined ? undefined : { id: 'gallery', title: 'Pictures', content }
}

/** The images of one evaluation: untouched, changed, and the change itself. */
function cards(run: AttackRun, classNames: ClassNames): Markup | undefined {
  const attacked = attackedImages(run).filter(({ files }) => files !== null)
  if (attacked.length === 0) return undefined
  const rank = (image: ImageRecord): number => (isShownFooled(image) ? 0 : image.status === 'robust' ? 2 : 1)
  const fooledFirst = [...attacked].sort((a, b) => rank(a) - rank(b))
  const shared = sharedPerturbation(run)
  const made: Markup[] = []
  let characters = 0
  for (const image of fooledFirst.slice(0, mostImages)) {
    const sources = sourcesOf(run, image)
    characters += Object.values(sources).reduce((sum, source) => sum + (source?.length ?? 0), 0)
    if (characters > mostCharacters && made.length > 0) break
    made.push(card(image, sources, classNames, shared === undefined))
  }
  const grid = (some: readonly Markup[]): Markup => html`<div class="gallery">${some}</div>\n`
  const more = made.slice(openImages)
  return html`${shared}${grid(made.slice(0, openImages))}
${more.length === 0 ? undefined : unfolding(grid(more), `${countText(more.length)} more`, false)}
${remark(cardsRemark(made.length, attacked.length))}`
}

/** The pictures of an image, as far as they are there. */
type Sources = Readonly<Partial<Record<keyof PictureFiles, string | undefined>>>

function sourcesOf({ pictures }: Pick<AttackRun, 'pictures'>, { files }: ImageRecord): Sources {
  const source = (file: string | undefined) => (file === undefined ? undefined : pictures?.(file))
  return {
    original: source(files?.original),
    adversarial: source(files?.adversarial),
    perturbation: source(files?.perturbation),
  }
}

/** Shown by the script of the page: without it, there is nothing to press. */
const enlarge = html`<button type="button" hidden="">Enlarge</button>`
const noPicture = html`<span class="missing">no picture</span>`

/** A picture with a line below it. */
function shot(source: string | undefined, said: string, name: string, text: string): Markup {
  return html`<div class="shot">${picture(source, said) ?? noPicture}${name}<b>${text}</b></div>`
}

function card(image: ImageRecord, sources: Sources, classNames: ClassNames, hasOwnChange: boolean): Markup {
  const before = classText(image.predicted ?? image.label, classNames)
  const after = classText(classAfter(image), classNames)
  const title = imageTitle(image)
  const fooled = isShownFooled(image)
  const { l2, linf } = changeOf(image)
  const target = image.target === null ? '' : ` (target ${classText(image.target, classNames)})`
  const distances = `l₂ ${distanceText(l2)}, l∞ ${distanceText(linf)}`
  const facts = [effortSentence(image), distances]
  const change = hasOwnChange
    ? shot(sources.perturbation, `The change of ${title}, scaled to be visible`, 'change', `± ${distanceText(linf)}`)
    : undefined
  return html`<figure data-pictures="${title}"><div class="shots${hasOwnChange ? '' : ' two'}">
${shot(sources.original, `${title}, untouched: ${before}`, 'original', before)}
${shot(sources.adversarial, `${title}, changed: ${after}`, fooled ? 'adversarial' : 'changed', after)}
${change}</div>
<figcaption>${enlarge}<strong>${title}</strong>${imageBadge(image)} ${fooled ? `${before} → ${after}` : `still ${after}`}${target}; ${facts.join('; ')}</figcaption></figure>\n`
}

function cardsRemark(shown: number, all: number): string {
  const some =
    shown < all ? `${countText(shown)} of ${countText(all)} images with pictures are shown, those fooled first. ` : ''
  return `${some}In the picture of a change, gray means no change; it is brighter where a value grows and darker where it shrinks, and white and black stand for the largest change, which is written below it.`
}

/** The picture of a perturbation that all images share, once. */
function sharedPerturbation(run: AttackRun): Markup | undefined {
  if (run.report.universal === null) return undefined
  const images = attackedImages(run).filter(({ files }) => files?.perturbation !== undefined)
  const [first] = images
  if (first === undefined || images.some(({ files }) => files?.perturbation !== first.files?.perturbation))
    return undefined
  const { perturbation } = sourcesOf(run, first)
  const largest = distanceText(changeOf(first).linf)
  return html`<div class="solo">${shot(perturbation, 'The perturbation of all images, scaled to be visible', 'change of all images', `± ${largest}`)}</div>\n`
}

/** An image as one of several methods changed it. */
interface Case {
  readonly run: AttackRun
  readonly image: ImageRecord
}

/** The same images as every method changed them. */
function comparedRows(runs: readonly AttackRun[], classNames: ClassNames): Markup | undefined {
  const cases = runs.flatMap((run) => attackedImages(run).map((image) => ({ run, image })))
  const pictured = cases.filter(({ run, image }) => run.pictures !== undefined && image.files !== null)
  const indices = [...new Set(pictured.map(({ image }) => image.index))].sort((a, b) => a - b)
  if (indices.length === 0) return undefined
  const rows = indices.slice(0, mostRows).map((index) => {
    const those = cases.filter(({ image }) => image.index === index)
    return comparedRow(those, classNames)
  })
  const some = `The first ${mostRows} of ${countText(indices.length)} images with pictures are shown.`
  // A few methods leave room for several images side by side.
  const look = runs.length <= 3 ? 'compared' : ''
  return html`<div class="${look}">${rows}</div>
${remark(indices.length > mostRows ? some : undefined)}`
}

function comparedRow(cases: readonly Case[], classNames: ClassNames): Markup {
  const [first] = cases
  if (first === undefined) return html``
  const title = imageTitle(first.image)
  const before = classText(first.image.predicted ?? first.image.label, classNames)
  const original = cases.map(({ run, image }) => sourcesOf(run, image).original).find((each) => each !== undefined)
  const hasProblems = new Set(cases.map(({ run }) => run.problem)).size > 1
  return html`<div data-pictures="${title}"><h3>${title}: ${before} ${enlarge}</h3>
<div class="row"><div class="shot"><span class="group">original</span>
${picture(original, `${title}, untouched: ${before}`) ?? noPicture}<b>${before}</b></div>
${cases.map((each) => methodShot(each, classNames, hasProblems))}</div></div>\n`
}

function methodShot({ run, image }: Case, classNames: ClassNames, hasProblems: boolean): Markup {
  const after = classText(classAfter(image), classNames)
  const fooled = isShownFooled(image)
  const lost = image.status === 'fooled' && !fooled ? html`${imageBadge(image)}<br/>` : undefined
  const said = `${imageTitle(image)}, changed by ${run.name}: ${after}`
  return html`<div class="shot">${lineName(run.name, run.style)}
${picture(sourcesOf(run, image).adversarial, said) ?? noPicture}<b>${fooled ? '→' : 'still'} ${after}</b>${lost}${hasProblems ? html`${run.problem}<br/>` : undefined}${countText(image.first?.queries ?? image.queries)} queries${fooled ? html`<br/>l₂ ${distanceText(changeOf(image).l2)}` : undefined}</div>`
}
