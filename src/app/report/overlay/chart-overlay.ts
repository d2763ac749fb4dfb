import type { ChartAxis, ChartData, ChartSeries, Tick } from '../chart/axis.ts'
import { valueAt } from '../chart/curve.ts'

/** Pointer, keyboard and zoom of one chart. */
export interface ChartOverlay {
  /** Goes on with a chart that was drawn anew: what is read and what is zoomed stay, unless the page zooms itself. */
  readonly update: (data: ChartData) => void
  /** True while the reader drags: a chart is not drawn anew under the hand. */
  readonly isDragged: () => boolean
}

/** What is seen of a chart: a part of x, its shares of the axis, and where values are drawn. */
type Seen = readonly [range: Range, x: Range, drawnX: (value: number) => number, drawnY: (value: number) => number]

/**
 * Lets a chart be read and zoomed. The first child of `plot` holds the drawing, which may be drawn anew; the rest is added.
 * Values are shown under the pointer and by the arrow keys, Home and End; a drag, + and - zoom, Escape goes back. A page that
 * is told where the reader zooms draws that part anew; undefined is all of x. It is part of every page, so it is short.
 */
export function chartOverlay(plot: HTMLElement, given: ChartData, onZoom?: (part?: Range) => void): ChartOverlay {
  const drawing = plot.firstElementChild as HTMLElement
  const readout = added(plot, 'div', 'readout')
  let data = given
  /** From where to where the reader has zoomed. */
  let part: Range | undefined
  let seen: Seen
  /** The x that is read. */
  let at: number | undefined
  /** The x where a drag began and where it is. */
  let dragged: Range | undefined

  const mark = (): void => drawCursor(drawing, readout, data, seen, at, dragged)
  const draw = (): void => {
    seen = drawAxes(svgIn(drawing), data, part)
    plot.classList.toggle('zoomed', !!part)
    mark()
  }
  /** Shows the values at x, or at the nearest place where only places have values; none if there is no x. */
  const read = (value?: number, from?: number): void => {
    at = nearest(data.x, value)
    // A hand may tremble.
    const [[low, high]] = seen
    if (Math.abs((value as number) - (from as number)) > 0.02 * (high - low))
      dragged = [from, value] as unknown as Range
    mark()
  }
  /** Shows a part of x, and that part of y which has its values. */
  const zoom = (low: number, high: number): void => {
    const { places, domain, whole = domain } = data.x
    if (places || high - low < 1e-4 * (domain[1] - domain[0])) return
    part = high - low < whole[1] - whole[0] ? [within(low, whole), within(high, whole)] : undefined
    draw()
    onZoom?.(part)
  }
  const drop = (): void => {
    if (dragged) zoom(Math.min(...dragged), Math.max(...dragged))
    dragged = undefined
    mark()
  }
  const update = (next: ChartData): void => {
    data = next
    if (onZoom) part = data.x.whole && data.x.domain
    draw()
  }
  /** The x that the pointer is at. */
  const pointed = ({ clientX }: PointerEvent): number => {
    const { left, width } = svgIn(drawing).getBoundingClientRect()
    const across: Range = [data.frame.left, data.frame.right]
    const place = ((clientX - left) / width) * svgIn(drawing).viewBox.baseVal.width
    return valueOn(data.x, between(...seen[1], within(place, across), across))
  }
  const keys = keysOf(() => [data.x, seen[0], at], read, zoom)
  keys.Escape = () => (part ? zoom(-Infinity, Infinity) : read())
  listen(drawing, added(plot, 'div', 'tools'), !data.x.places, keys, pointed, read, drop)
  update(given)
  return { update, isDragged: () => !!dragged }
}

/** What keys do: they read on, and zoom around what is read. */
function keysOf(
  state: () => readonly [ChartAxis, Range, number | undefined],
  read: (value?: number) => void,
  zoom: (low: number, high: number) => void,
): Record<string, () => void> {
  const zoomBy = (factor: number) => (): void => {
    const [, [low, high], at = high] = state()
    zoom(at - (at - low) * factor, at + (high - at) * factor)
  }
  /** Reads on to the left or to the right; what is seen moves along. */
  const step = (by: number) => (): void => {
    const [{ places, domain, whole = domain }, [low, high], at] = state()
    if (places) return read((places[places.findIndex((each) => each.at === at) + by] ?? places.at(by < 0 ? 0 : -1))?.at)
    const next = within((at ?? (by < 0 ? high : low)) + (by * (high - low)) / 50, whole)
    const beyond = Math.min(0, next - low) + Math.max(0, next - high)
    if (beyond) zoom(low + beyond, high + beyond)
    read(next)
  }
  return {
    ArrowLeft: step(-1),
    ArrowRight: step(1),
    Home: step(-1e9),
    End: step(1e9),
    '+': zoomBy(0.5),
    '-': zoomBy(2),
    '': step(0),
  }
}

function listen(
  drawing: HTMLElement,
  tools: HTMLElement,
  isZoomable: boolean,
  keys: Readonly<Record<string, () => void>>,
  pointed: (event: PointerEvent) => number,
  read: (value?: number, from?: number) => void,
  drop: () => void,
): void {
  const said = (tag: string) => drawing.querySelector(tag)?.textContent
  /** The x where a drag began. */
  let from: number | undefined
  Object.assign(drawing, {
    tabIndex: 0,
    role: 'slider',
    ariaLabel: said('title'),
    ariaValueNow: 0,
    ariaValueText: said('desc'),
    onpointerdown: (event: PointerEvent) => {
      if (event.button > 0 || event.pointerType === 'touch' || !isZoomable) return
      from = pointed(event)
      drawing.setPointerCapture(event.pointerId)
    },
    onpointermove: (event: PointerEvent) => read(pointed(event), from),
    onlostpointercapture: () => {
      from = undefined
      drop()
    },
    onpointerleave: () => read(),
    onblur: () => read(),
    onfocus: () => drawing.matches(':focus-visible') && (keys[''] as () => void)(),
    onkeydown: (event: KeyboardEvent) => {
      const key = keys[event.key]
      if (!key || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      key()
    },
  })
  for (const [key, name] of isZoomable ? buttons : []) {
    const button = added(tools, 'button')
    button.textContent = name
    button.onclick = keys[key] as () => void
  }
}

function svgIn(drawing: HTMLElement): SVGSVGElement {
  return drawing.querySelector('svg') as SVGSVGElement
}

/** The place next to a value where only places have values; else the value. */
function nearest({ places }: ChartAxis, value: number | undefined): number | undefined {
  if (value === undefined || !places) return value
  return places.reduce((best, { at }) => (Math.abs(at - value) < Math.abs(best - value) ? at : best), Infinity)
}

/** Draws the axes of what is seen, and turns the marks to it. */
function drawAxes(root: SVGSVGElement, data: ChartData, part: Range | undefined): Seen {
  const {
    frame: { left, right, top, bottom },
    x: axisX,
    y: axisY,
  } = data
  const range = part ?? axisX.domain
  const x = range.map((value) => shareOf(axisX, value)) as unknown as Range
  const y: Range = part ? fitted(data, part) : [0, 1]
  const drawnX = (value: number): number => between(left, right, shareOf(axisX, value), x)
  const drawnY = (value: number): number => between(bottom, top, shareOf(axisY, value), y)
  const [width, height] = [right - left, bottom - top]
  const box = [left + x[0] * width, bottom - y[1] * height, (x[1] - x[0]) * width, (y[1] - y[0]) * height]
  root.querySelector('.marks')?.setAttribute('viewBox', box.join(' '))
  const [labelsX, labelsY, grid] = ['x-axis', 'y-axis', 'y-grid'].map((name) => {
    const group = root.querySelector(`[data-mark^=${name}]`)
    group?.replaceChildren()
    return group
  })
  for (const tick of ticksOf(axisX, x)) {
    shape(labelsX, 'text', { x: drawnX(tick.at), y: bottom, dy: '.71em' }).textContent = tick.text
  }
  for (const tick of ticksOf(axisY, y)) {
    const level = drawnY(tick.at)
    shape(labelsY, 'text', { x: left, y: level, dy: '.32em' }).textContent = tick.text
    shape(grid, 'line', { x1: left, x2: right, y1: level, y2: level })
  }
  return [range, x, drawnX, drawnY]
}

function drawCursor(
  drawing: HTMLElement,
  readout: HTMLElement,
  data: ChartData,
  [, , drawnX, drawnY]: Seen,
  at: number | undefined,
  dragged: Range | undefined,
): void {
  const root = svgIn(drawing)
  const {
    frame: { left, right, top, bottom },
    x: axis,
    series,
  } = data
  root.querySelector('.cursor')?.remove()
  const cursor = shape(root, 'g', { class: 'cursor' })
  if (dragged) {
    const [start, end] = dragged.map(drawnX)
    shape(cursor, 'path', { d: `M${start},${top}H${end}V${bottom}H${start}`, class: 'dragged' })
  }
  readout.hidden = at === undefined
  if (readout.hidden) return
  const read = axis.isWhole ? Math.round(at as number) : (at as number)
  const line = drawnX(read)
  shape(cursor, 'path', { d: `M${line},${top}V${bottom}` })
  const place = axis.places?.find((each) => each.at === at)
  readout.replaceChildren(place ? place.text : `${numberText(axis, read)} ${axis.label}`)
  for (const each of series) {
    const text = textAt(data, each, read)
    if (!text) continue
    const row = added(readout, 'div')
    added(row, 'i').style.background = each.color
    row.append(`${each.label} `)
    added(row, 'b').textContent = text
    const cy = drawnY(valueAt(each, read))
    if (cy >= top && cy <= bottom) shape(cursor, 'circle', { cx: line, cy, r: 3.5, fill: each.color })
  }
  drawing.ariaValueNow = `${read}`
  drawing.ariaValueText = [...readout.childNodes].map((row) => row.textContent).join(', ')
  readout.classList.toggle('right', line < (left + right) / 2)
}

/** The value of a series at x, and the band around it; nothing if it has none. */
function textAt(data: ChartData, { x, y, low = y, high = y }: ChartSeries, place: number): string {
  const values = [y, low, high].map((column) => valueAt({ x, y: column }, place))
  if (values[0] === Infinity || (data.x.places && !x.includes(place))) return ''
  const [text, first, last] = values.map((each) => numberText(data.y, each))
  return first === last ? (text as string) : `${text} (${first} to ${last})`
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

// Places on an axis are shares of it here, 0 at its start and 1 at its end: zoom is then the same on every kind of axis.

/** From where to where. */
export type Range = readonly [number, number]

/** Where a value lies on an axis. */
function shareOf({ type, domain: [low, high] }: ChartAxis, value: number): number {
  const on = type === 'log' ? Math.log : Number
  return (on(value) - on(low)) / (on(high) - on(low))
}

/** The value at a place of an axis. */
function valueOn({ type, domain: [low, high] }: ChartAxis, share: number): number {
  return type === 'log' ? low * Math.exp(share * Math.log(high / low)) : low + share * (high - low)
}

/** The part of y in which all values between two of x can be seen, with a little air. */
function fitted({ y: values, series }: ChartData, [first, last]: Range): Range {
  const shares = series
    .flatMap(({ x, y, low = y, high = y }) =>
      [low, high].flatMap((column) => [
        valueAt({ x, y: column }, first),
        ...column.filter((_, i) => (x[i] as number) > first && (x[i] as number) <= last),
      ]),
    )
    .map((value) => shareOf(values, value))
    .filter((share) => share >= 0 && share <= 1)
  const [low, high] = [Math.min(...shares), Math.max(...shares)]
  const air = Math.max(0.02, (high - low) / 16)
  return low <= high ? [low - air, high + air] : [0, 1]
}

/** What stands beside a part of an axis: round numbers, and if that is long, powers of ten. */
function ticksOf(axis: ChartAxis, [from, to]: Range): readonly Tick[] {
  if (to - from === 1) return axis.ticks
  const [low, high] = [valueOn(axis, from), valueOn(axis, to)]
  const places =
    axis.type === 'log' && high > 100 * low
      ? rounds(Math.log10(low), Math.log10(high)).map((power) => Number(`1e${Math.round(power)}`))
      : rounds(low, high)
  return [...new Set(places)].map((at) => ({ at, text: numberText(axis, at, 12) }))
}

function rounds(low: number, high: number): number[] {
  const rough = (high - low) / 5
  const unit = Number(`1e${Math.floor(Math.log10(rough))}`)
  const step = unit * (rough > 7 * unit ? 10 : rough > 3 * unit ? 5 : rough > 1.5 * unit ? 2 : 1)
  const first = Math.ceil(low / step)
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step)
}

/** A value as an axis has it. */
function numberText({ unit }: ChartAxis, value: number, digits = 4): string {
  const number = Number((unit ? 100 * value : value).toPrecision(value % 1 ? digits : 12))
  const size = Math.abs(number)
  const isPlain = number === 0 || (size >= 1e-4 && size < 1e9)
  const text = isPlain ? number.toLocaleString('en', { maximumFractionDigits: 12 }) : number.toExponential()
  return unit ? `${text}\u00a0%` : text
}
