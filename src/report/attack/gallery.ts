import type { ImageRecord, PictureFiles } from '../../attacks/records.ts'
import { html, type Markup } from '../markup.ts'
import { countText } from '../number-text.ts'
import { type AttackRun, attackedImages } from './attack-run.ts'
import { classText } from './class-text.ts'
import { distanceText } from './dashed.ts'
import { changeOf, classAfter, effortSentence, imageBadge, imageTitle, savedSentence } from './image-status.ts'
import { picture } from './picture.ts'

const mostImages = 60
/** Those beyond unfold when they are wanted. */
const openImages = 18
/** Characters of all pictures of a page: large pictures would make it unwieldy. */
const mostCharacters = 16_000_000

/** The images that were attacked: untouched, changed, and the change itself. */
export function gallery(run: AttackRun, classNames: readonly string[] | undefined): Markup | undefined {
  const attacked = attackedImages(run).filter(({ files }) => files !== null)
  if (attacked.length === 0) return undefined
  const fooledFirst = [...attacked].sort((a, b) => Number(a.status === 'robust') - Number(b.status === 'robust'))
  const shared = sharedPerturbation(run)
  const cards: Markup[] = []
  let characters = 0
  for (const image of fooledFirst.slice(0, mostImages)) {
    const sources = sourcesOf(run, image)
    characters += Object.values(sources).reduce((sum, source) => sum + (source?.length ?? 0), 0)
    if (characters > mostCharacters && cards.length > 0) break
    cards.push(card(image, sources, classNames, shared === undefined))
  }
  return html`<section aria-labelledby="gallery"><h2 id="gallery">Pictures</h2>
${shared}<div class="gallery">${cards.slice(0, openImages)}</div>
${more(cards.slice(openImages))}<p class="remark">${remark(cards.length, attacked.length)}</p></section>\n`
}

function more(cards: readonly Markup[]): Markup | undefined {
  if (cards.length === 0) return undefined
  return html`<details><summary>${countText(cards.length)} more</summary><div class="gallery">${cards}</div></details>\n`
}

/** The pictures of an image, as far as they are there. */
export type Sources = Readonly<Partial<Record<keyof PictureFiles, string | undefined>>>

/** Looks up the pictures of an image. */
export function sourcesOf({ pictures }: Pick<AttackRun, 'pictures'>, { files }: ImageRecord): Sources {
  const source = (file: string | undefined) => (file === undefined ? undefined : pictures?.(file))
  return {
    original: source(files?.original),
    adversarial: source(files?.adversarial),
    perturbation: source(files?.perturbation),
  }
}

/** Stands where a picture is missing. */
export const noPicture = html`<span class="missing">no picture</span>`

/** A picture with a line below it. */
function shot(source: string | undefined, said: string, name: string, text: string): Markup {
  return html`<div class="shot">${picture(source, said) ?? noPicture}${name}<b>${text}</b></div>`
}

function card(
  image: ImageRecord,
  sources: Sources,
  classNames: readonly string[] | undefined,
  ownPerturbation: boolean,
): Markup {
  const before = classText(image.predicted ?? image.label, classNames)
  const after = classText(classAfter(image), classNames)
  const title = imageTitle(image)
  const change = distanceText(changeOf(image).linf)
  const perturbation = ownPerturbation
    ? shot(sources.perturbation, `The change of ${title}, scaled for the eye`, 'change', `± ${change}`)
    : undefined
  return html`<figure><div class="shots${ownPerturbation ? '' : ' two'}">
${shot(sources.original, `${title}, untouched: ${before}`, 'original', before)}
${shot(sources.adversarial, `${title}, changed: ${after}`, image.status === 'fooled' ? 'adversarial' : 'changed', after)}
${perturbation}</div>
<figcaption><strong>${title}</strong>${imageBadge(image)} ${image.status === 'fooled' ? `${before} → ${after}` : `still ${after}`}${target(image, classNames)}; ${facts(image)}</figcaption></figure>\n`
}

function target({ target }: ImageRecord, classNames: readonly string[] | undefined): string {
  return target === null ? '' : ` (target ${classText(target, classNames)})`
}

function facts(image: ImageRecord): string {
  const { l2, linf } = changeOf(image)
  const distances = `l₂ ${distanceText(l2)}, l∞ ${distanceText(linf)}`
  const parts = [effortSentence(image), distances, savedSentence(image)]
  return parts.filter((part) => part !== undefined).join('; ')
}

function remark(shown: number, all: number): string {
  const some =
    shown < all ? `${countText(shown)} of ${countText(all)} images with pictures are shown, those fooled first. ` : ''
  const scale =
    'In the picture of a change grey means no change; it is brighter where a value grows and darker where it shrinks, and white and black stand for the largest change, which is written below it.'
  return `${some}${scale}`
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
  return html`<div class="solo">${shot(perturbation, 'The perturbation of all images, scaled for the eye', 'change of all images', `± ${largest}`)}</div>\n`
}
