import { type ChartLine, convergenceChart, type LineText } from '../src/app/report/chart/charts.ts'
import { textOf } from '../src/app/report/markup.ts'
import { type ChartOverlay, chartOverlay } from '../src/app/report/overlay/chart-overlay.ts'

/** The element of an id; its kind is checked, so that the page and its script cannot part. */
export function byId<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`)
  return found
}

/** Fills a list to choose from. */
export function fill(id: string, options: readonly (readonly [value: string, text: string])[]): void {
  byId(id, HTMLSelectElement).replaceChildren(...options.map(([value, text]) => new Option(text, value)))
}

/** Copies a text, and says so; where a page may not (not served over HTTPS), shows it to be copied by hand. */
export async function copied(text: string, said: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    said.textContent = 'Copied.'
  } catch {
    const shown = document.createElement('pre')
    shown.textContent = text
    shown.tabIndex = 0
    said.replaceChildren(shown)
  }
}

/** Calls when the width of an element has changed, or the colours of the page. */
export function onResize(element: Element, act: () => void): void {
  let width = element.clientWidth
  new ResizeObserver(() => {
    if (element.clientWidth === width || element.clientWidth === 0) return
    width = element.clientWidth
    act()
  }).observe(element)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', act)
}

/** The same chart as in reports, drawn anew as often as needed. */
export function lineChart(plot: HTMLElement) {
  let overlay: ChartOverlay | undefined
  return (lines: readonly ChartLine[], text: Omit<LineText, 'document'>): void => {
    if (overlay?.isDragged() || lines.every(({ curve }) => curve.x.length === 0)) return
    const { inline, data } = convergenceChart(lines, { ...text, document })
    const drawing = plot.firstElementChild
    if (drawing === null || data === undefined) return
    drawing.innerHTML = textOf(inline)
    if (overlay === undefined) overlay = chartOverlay(plot, data)
    else overlay.update(data)
  }
}
