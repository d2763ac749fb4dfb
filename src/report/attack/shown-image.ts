import type { Distortion, ImageRecord } from '../../attacks/records.ts'
import { html, type Markup } from '../markup.ts'
import { countText, shortened } from '../number-text.ts'
import { badge } from '../page/elements.ts'

const looks: Readonly<Record<ImageRecord['status'], string>> = {
  fooled: 'bad',
  robust: 'good',
  skipped: 'plain',
  failed: 'warn',
  unfinished: 'warn',
}

const longestTitle = 48
const longestClass = 32
/** Pictures narrower than this are enlarged; their pixels then stay squares. */
const small = 128

/** Whether the picture that is shown fools the model: it is the 8-bit file, and what fooled may have been lost by rounding. */
export function isShownFooled({ status, success8bit }: Pick<ImageRecord, 'status' | 'success8bit'>): boolean {
  return status === 'fooled' && success8bit !== false
}

/** The result of an image. What fools only before it is rounded is not called fooled. */
export function imageBadge(image: Pick<ImageRecord, 'status' | 'success8bit'>): Markup {
  const isLost = image.status === 'fooled' && !isShownFooled(image)
  return isLost ? badge('not as 8-bit file', { 'not as 8-bit file': 'warn' }) : badge(image.status, looks)
}

/** What an image is called, cut where it is long; a mere number says what it is the number of. */
export function imageTitle({ title }: Pick<ImageRecord, 'title'>): string {
  return /^\d+$/.test(title) ? `image ${title}` : shortened(title, longestTitle)
}

/** What a class is called, in short; its number where it has no name, a dash where it is not known. */
export function classText(index: number | null | undefined, names: readonly string[] | undefined): string {
  if (typeof index !== 'number' || !Number.isFinite(index)) return '–'
  const name = names?.[index]
  if (name === undefined || name === '') return String(index)
  // Long names are often lists of synonyms.
  return shortened(name.length > longestClass ? (name.split(', ')[0] as string) : name, longestClass)
}

/** The class that the model sees in the changed picture, as far as it is known. */
export function classAfter({ saved, best, final }: ImageRecord): number | undefined {
  return (saved ?? best ?? final)?.predicted
}

/** How far the changed picture is from the original; NaN where it is not known. */
export function changeOf({ saved, best, final }: ImageRecord): Distortion {
  return saved ?? best ?? final ?? { l2sq: Number.NaN, l2: Number.NaN, linf: Number.NaN }
}

/** How long it took to fool the model with an image, or that it was not; a shared perturbation may have lost it again. */
export function effortSentence(image: ImageRecord): string {
  const { status, first, queries } = image
  const lost = status === 'fooled' && !isShownFooled(image) ? ', but only before its values were rounded to 8 bits' : ''
  if (first !== null) return `first fooled after ${countText(first.queries)} queries${lost}`
  return status === 'robust' && queries > 0 ? `withstood ${countText(queries)} queries` : 'never fooled'
}

/** A picture within a page, or nothing where there is none; an address that is not the picture itself is none. */
export function picture(address: string | undefined, said: string): Markup | undefined {
  if (address === undefined || !/^data:image\/(png|jpeg|webp|gif);base64,[\w+/=]+$/.test(address)) return undefined
  const size = pngSize(address)
  const look = size !== undefined && size.width < small ? 'picture squares' : 'picture'
  const sides = size === undefined ? undefined : html` width="${size.width}" height="${size.height}"`
  return html`<img class="${look}" src="${address}" alt="${said}"${sides}/>`
}

/** The size of a PNG picture, which is in its first bytes. */
function pngSize(address: string): { width: number; height: number } | undefined {
  const [head = '', data = ''] = address.split(',')
  if (head !== 'data:image/png;base64' || data.length < 32) return undefined
  const bytes = atob(data.slice(0, 32))
  const number = (at: number): number => [0, 1, 2, 3].reduce((value, i) => value * 256 + bytes.charCodeAt(at + i), 0)
  return { width: number(16), height: number(20) }
}
