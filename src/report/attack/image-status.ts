import type { Distortion, ImageRecord } from '../../attacks/records.ts'
import { html, type Markup } from '../markup.ts'
import { countText } from '../number-text.ts'
import { shortened } from '../shortened.ts'

const looks: Readonly<Record<ImageRecord['status'], string>> = {
  fooled: 'bad',
  robust: 'good',
  skipped: 'plain',
  failed: 'warn',
}

const longestTitle = 48

/** How an image fared, with a colour that only underlines the word. */
export function imageBadge({ status }: Pick<ImageRecord, 'status'>): Markup {
  return html`<span class="badge ${Object.hasOwn(looks, status) ? looks[status] : 'plain'}">${status}</span>`
}

/** What an image is called, cut where it is long; a mere number says what it is the number of. */
export function imageTitle({ title }: Pick<ImageRecord, 'title'>): string {
  return /^\d+$/.test(title) ? `image ${title}` : shortened(title, longestTitle)
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
export function effortSentence({ status, first, queries }: ImageRecord): string {
  if (first !== null) return `first fooled after ${countText(first.queries)} queries`
  return status === 'robust' && queries > 0 ? `withstood ${countText(queries)} queries` : 'never fooled'
}

/** Whether the picture fools the model as the 8-bit file it was saved as. */
export function savedSentence({ status, success8bit }: ImageRecord): string | undefined {
  if (status !== 'fooled' || success8bit === null) return undefined
  return success8bit ? 'the 8-bit picture fools, too' : 'the 8-bit picture no longer fools'
}
