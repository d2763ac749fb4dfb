import type { ChartData, ChartSeries } from '../chart/chart-data.ts'
import { valueAt } from '../chart/curve.ts'
import { fitted, numberText, type Range, shareOf, ticksOf, valueOn } from './axis-shares.ts'

/** Pointer, keyboard and zoom of one chart. */
export interface ChartOverlay {
  /** Goes on with a chart that was drawn anew: what is read and what is zoomed stay, unless the page zooms itself. */
  readonly update: (data: ChartData) => void
  /** True while the reader drags: a chart is not drawn anew under the hand. */
  readonly isDragged: () => boolean
}

/**
 * Lets a chart be read and zoomed. The first child of `plot` holds the drawing, which may be drawn anew; the rest is added.
 * Values are shown under the pointer and by the arrow keys, Home and End; a drag, + and - zoom, Escape goes back. A page that
 * is told where the reader zooms draws that part anew; undefined is all of x. It is part of every page, so it is short.
 */
export function chartOverlay(plot: HTMLElement, given: ChartData, onZoom?: (part?: Range) => void): ChartOverlay {
  const drawing = plot.firstElementChild as HTMLElement
  const readout = added(plot, 'div', 'readout')
  const tools = added(plot, 'div', 'tools')
  let data = given
  /** From where to where the reader has zoomed. */
  let part: Range | undefined
  /** What is seen of x; as a part of its axis, and of y. */
  let seen: Range
  let x: Range
  let y: Range
  /** The x that is read. */
  let at: number | undefined
  /** The x where a drag began and where it is; undefined where there is none. */
  let from: number | undefined
  let to: number | undefined

  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    Home: () => step(-1e9),
    End: () => step(1e9),
    '+': () => zoomBy(0.5),
    '-': () => zoomBy(2),
    Escape: () => (part ? zoom(-Infinity, Infinity) : read()),
  }
  Object.assign(drawing, {
    tabIndex: 0,
    role: 'slider',
    ariaLabel: drawing.querySelector('title')?.textContent,
    ariaValueNow: 0,
    ariaValueText: drawing.querySelector('desc')?.textContent,
    onpointerdown: (event: PointerEvent) => {
      if (event.button > 0 || event.pointerType === 'touch' || data.x.places) return
      from = pointed(event)
      drawing.setPointerCapture(event.pointerId)
    },
    onpointermove: (event: PointerEvent) => {
      const place = pointed(event)
      // A hand may tremble.
      if (Math.abs(place - (from as number)) > 0.02 * (seen[1] - seen[0])) to = place
      read(place)
    },
    onlostpointercapture: () => {
      if (to !== undefined) zoom(Math.min(from as number, to), Math.max(from as number, to))
      from = to = undefined
      drawCursor()
    },
    onpointerleave: () => read(),
    onblur: () => read(),
    onfocus: () => drawing.matches(':focus-visible') && step(0),
    onkeydown: (event: KeyboardEvent) => {
      const key = keys[event.key]
      if (!key || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      key()
    },
  })
  for (const [key, name] of data.x.places ? [] : buttons) {
    const button = added(tools, 'button')
    button.textContent = name
    button.onclick = keys[key] as () => void
  }
  take(given)
  return {
    update: take,
    isDragged: () => to !== undefined,
  }

  function take(next: ChartData): void {
    data = next
    if (onZoom) part = data.x.whole && data.x.domain
    draw()
  }

  function svg(): SVGSVGElement {
    return drawing.querySelector('svg') as SVGSVGElement
  }

  /** The x that the pointer is at. */
  function pointed({ clientX }: PointerEvent): number {
    const { left, width } = svg().getBoundingClientRect()
    const { left: start, right: end } = data.frame
    const place = ((clientX - left) / width) * svg().viewBox.baseVal.width
    return valueOn(data.x, x[0] + within((place - start) / (end - start), [0, 1]) * (x[1] - x[0]))
  }

  /** Shows a part of x, and that part of y which has its values. */
  function zoom(low: number, high: number): void {
    const { places, domain, whole = domain } = data.x
    if (places || high - low < 1e-4 * (domain[1] - domain[0])) return
    part = high - low < whole[1] - whole[0] ? [within(low, whole), within(high, whole)] : undefined
    draw()
    onZoom?.(part)
  }

  function zoomBy(factor: number): void {
    const [low, high] = seen
    const center = at ?? high
    zoom(center - (center - low) * factor, center + (high - center) * factor)
  }

  /** Reads on to the left or to the right; what is seen moves along. */
  function step(by: number): void {
    const { places, domain, whole = domain } = data.x
    if (places) {
      const now = places.findIndex((place) => place.at === at)
      return read((places[now + by] ?? places.at(by < 0 ? 0 : -1))?.at)
    }
    const [low, high] = seen
    const next = within((at ?? (by < 0 ? high : low)) + (by * (high - low)) / 50, whole)
    const beyond = Math.min(0, next - low) + Math.max(0, next - high)
    if (beyond) zoom(low + beyond, high + beyond)
    read(next)
  }

  /** Shows the values at x, or at the nearest place where only places have values; none where there is no x. */
  function read(value?: number): void {
    const { places } = data.x
    at = value
    if (value !== undefined && places) {
      at = places.reduce(
        (best, { at: place }) => (Math.abs(place - value) < Math.abs(best - value) ? place : best),
        Infinity,
      )
    }
    drawCursor()
  }

  function draw(): void {
    const [root, { left, right, top, bottom }] = [svg(), data.frame]
    const [width, height] = [right - left, bottom - top]
    seen = part ?? data.x.domain
    x = [shareOf(data.x, seen[0]), shareOf(data.x, seen[1])]
    y = part ? fitted(data, part) : [0, 1]
    const box = [left + x[0] * width, bottom - y[1] * height, (x[1] - x[0]) * width, (y[1] - y[0]) * height]
    root.querySelector('.marks')?.setAttribute('viewBox', box.join(' '))
    plot.classList.toggle('zoomed', !!part)
    const [labelsX, labelsY, grid] = ['x-axis', 'y-axis', 'y-grid'].map((name) => {
      const group = root.querySelector(`[data-mark^=${name}]`)
      group?.replaceChildren()
      return group
    })
    for (const tick of ticksOf(data.x, x)) {
      shape(labelsX, 'text', { x: drawnX(tick.at), y: bottom, dy: '.71em' }).textContent = tick.text
    }
    for (const tick of ticksOf(data.y, y)) {
      const level = drawnY(tick.at)
      shape(labelsY, 'text', { x: left, y: level, dy: '.32em' }).textContent = tick.text
      shape(grid, 'line', { x1: left, x2: right, y1: level, y2: level })
    }
    drawCursor()
  }

  function drawnX(value: number): number {
    return between(data.frame.left, data.frame.right, shareOf(data.x, value), x)
  }

  function drawnY(value: number): number {
    return between(data.frame.bottom, data.frame.top, shareOf(data.y, value), y)
  }

  function drawCursor(): void {
    const [root, { left, right, top, bottom }] = [svg(), data.frame]
    root.querySelector('.cursor')?.remove()
    const cursor = shape(root, 'g', { class: 'cursor' })
    if (to !== undefined) {
      const [start, end] = [from as number, to].map(drawnX)
      shape(cursor, 'path', { d: `M${start},${top}H${end}V${bottom}H${start}`, class: 'dragged' })
    }
    readout.hidden = at === undefined
    if (at === undefined) return
    const read = data.x.isWhole ? Math.round(at) : at
    const line = drawnX(read)
    shape(cursor, 'path', { d: `M${line},${top}V${bottom}` })
    const place = data.x.places?.find((each) => each.at === at)
    readout.replaceChildren(place ? place.text : `${numberText(data.x, read)} ${data.x.label}`)
    for (const series of data.series) {
      const text = textAt(series, read)
      if (!text) continue
      const row = added(readout, 'div')
      added(row, 'i').style.background = series.color
      row.append(`${series.label} `)
      added(row, 'b').textContent = text
      const cy = drawnY(valueAt(series, read))
      if (cy >= top && cy <= bottom) shape(cursor, 'circle', { cx: line, cy, r: 3.5, fill: series.color })
    }
    drawing.ariaValueNow = `${read}`
    drawing.ariaValueText = [...readout.childNodes].map((row) => row.textContent).join(', ')
    readout.classList.toggle('right', line < (left + right) / 2)
  }

  /** The value of a series at x, and the band around it; nothing where it has none. */
  function textAt({ x: places, y: values, low = values, high = values }: ChartSeries, place: number): string {
    const [value, lower, upper] = [values, low, high].map((column) => valueAt({ x: places, y: column }, place))
    if (value === Infinity || (data.x.places && !places.includes(place))) return ''
    const [text, first, last] = [value, lower, upper].map((each) => numberText(data.y, each as number))
    return first === last ? `${text}` : `${text} (${first} to ${last})`
  }
}

const buttons = [
  ['+', 'Zoom in'],
  ['-', 'Zoom out'],
  ['Escape', 'Show all'],
] as const

/** What lies between two places as far along as a share of what is seen. */
function between(start: number, end: number, share: number, [from, to]: Range): number {
  return start + ((share - from) / (to - from)) * (end - start)
}

function within(value: number, [low, high]: Range): number {
  return Math.max(low, Math.min(high, value))
}

function added<Tag extends keyof HTMLElementTagNameMap>(to: Element, tag: Tag, name = ''): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  element.className = name
  to.append(element)
  return element
}

function shape<Tag extends keyof SVGElementTagNameMap>(
  to: Element | null | undefined,
  tag: Tag,
  attributes: Readonly<Record<string, string | number>>,
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS(to?.namespaceURI ?? '', tag) as SVGElementTagNameMap[Tag]
  for (const name in attributes) element.setAttribute(name, attributes[name] as string)
  to?.append(element)
  return element
}
