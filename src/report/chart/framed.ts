import { html, type Markup, textOf, trusted } from '../markup.ts'
import { paletteCss } from '../palette.ts'

/** A drawing twice. */
export interface Framed {
  /** For a page, which brings the colours. */
  readonly inline: Markup
  /** For a file that stands alone. */
  readonly file: string
  /** For a larger drawing that it is a part of. */
  readonly part: { readonly content: Markup; readonly width: number; readonly height: number }
}

/** The size of a drawing, and its text for screen readers. */
export interface Frame {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly width: number
  readonly height: number
}

const filePad = 16
const font = 'system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif'

/** Puts a drawing into an SVG element. A file brings its colours and its paper, to be read on light and on dark. */
export function framed(content: Markup, frame: Frame): Framed {
  const { id, title, description, width, height } = frame
  const said = html`<title id="${id}-title">${title}</title><desc id="${id}-desc">${description}</desc>`
  const file = html`<svg xmlns="http://www.w3.org/2000/svg" ${attributes(frame, filePad)}>${said}${background(frame)}${content}</svg>\n`
  const inline = html`<svg ${attributes(frame, 0)}>${said}${content}</svg>`
  return { inline, file: textOf(file), part: { content, width, height } }
}

function attributes({ id, width, height }: Frame, pad: number): Markup {
  const [w, h] = [width + 2 * pad, height + 2 * pad]
  return html`class="zeroth-chart" viewBox="${-pad} ${-pad} ${w} ${h}" width="${w}" height="${h}" role="img" aria-labelledby="${id}-title ${id}-desc" fill="var(--ink)" font-family="${font}" font-size="12" text-anchor="middle"`
}

function background({ width, height }: Frame): Markup {
  const [w, h] = [width + 2 * filePad, height + 2 * filePad]
  return html`<style>${trusted(paletteCss('.zeroth-chart'))}</style><rect x="${-filePad}" y="${-filePad}" width="${w}" height="${h}" fill="var(--paper)"/>`
}
