import { type Framed, framed } from '../../../src/app/report/chart/plot-chart.ts'
import { html, type Markup } from '../../../src/app/report/markup.ts'

/** A drawing that is part of a larger one. */
export interface GridPart {
  readonly title: string
  readonly part: Framed['part']
}

/** The texts of a drawing composed of others. */
export interface GridText {
  readonly id: string
  readonly title: string
  readonly description: string
  /** Parts side by side. */
  readonly columns: number
}

const gap = 28
const head = 26

/** Puts drawings side by side and below each other, each under its title, into one. */
export function gridChart(parts: readonly GridPart[], { columns, ...text }: GridText): Framed {
  const across = Math.max(1, Math.min(columns, parts.length))
  const cell = {
    width: Math.max(0, ...parts.map(({ part }) => part.width)),
    height: Math.max(0, ...parts.map(({ part }) => part.height)) + head,
  }
  const rows = Math.ceil(parts.length / across)
  const placed = parts.map(({ title, part }, i) => {
    const x = (i % across) * (cell.width + gap)
    const y = Math.floor(i / across) * (cell.height + gap)
    return panel(x, y, title, part.content)
  })
  const width = across * (cell.width + gap) - gap
  const height = Math.max(1, rows * (cell.height + gap) - gap)
  return framed(html`${placed}`, { ...text, width, height })
}

function panel(x: number, y: number, title: string, content: Markup): Markup {
  return html`<g transform="translate(${x},${y})"><text x="0" y="14" text-anchor="start" font-weight="600" font-size="13">${title}</text><g transform="translate(0,${head})">${content}</g></g>`
}
