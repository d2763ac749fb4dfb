import { Buffer } from 'node:buffer'
import { type Frame, type Framed, framed } from '../../../src/app/report/chart/plot-chart.ts'
import { html, type Markup } from '../../../src/app/report/markup.ts'

/** A picture as PNG, and what stands below it. */
export interface ShownPicture {
  readonly png: Uint8Array | undefined
  readonly text: string
}

/** Pictures side by side, and what they have in common. */
export interface PictureRow {
  readonly title: string
  readonly pictures: readonly ShownPicture[]
}

const side = 104
const step = { x: 120, y: 140 }
const left = 92
const top = 26

/** Draws rows of pictures into one drawing that needs no other file. */
export function pictureChart(
  rows: readonly PictureRow[],
  heads: readonly string[],
  text: Pick<Frame, 'id' | 'title' | 'description'>,
): Framed {
  const columns = Math.max(1, ...rows.map(({ pictures }) => pictures.length))
  const titles = heads
    .slice(0, columns)
    .map((head, i) => html`<text x="${left + i * step.x + side / 2}" y="14">${head}</text>`)
  const lines = rows.map(({ title, pictures }, y) => {
    const place = top + y * step.y
    const shots = pictures.map((picture, x) => shot(picture, left + x * step.x, place))
    return html`<text x="0" y="${place + side / 2 + 4}" text-anchor="start" font-weight="600">${title}</text>${shots}`
  })
  const size = { width: left + columns * step.x - (step.x - side), height: top + rows.length * step.y }
  return framed(html`<g fill="var(--muted)">${titles}</g>${lines}`, { ...text, ...size })
}

function shot({ png, text }: ShownPicture, x: number, y: number): Markup {
  const address = png === undefined ? undefined : `data:image/png;base64,${Buffer.from(png).toString('base64')}`
  const picture =
    address === undefined
      ? undefined
      : html`<image x="${x}" y="${y}" width="${side}" height="${side}" href="${address}" style="image-rendering:pixelated"/>`
  return html`${picture}<rect x="${x}" y="${y}" width="${side}" height="${side}" fill="none" stroke="var(--rule)"/><text x="${x + side / 2}" y="${y + side + 16}">${text}</text>`
}
