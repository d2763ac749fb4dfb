import * as Plot from '@observablehq/plot'

/** One curve of a convergence figure; y may vary over seeds between `low` and `high`. */
export interface CurvePoint {
  readonly panel: string
  readonly method: string
  readonly queries: number
  readonly value: number
  readonly low: number
  readonly high: number
}

/** What a convergence figure says beside its curves. */
export interface FigureText {
  readonly title: string
  readonly subtitle: string
  readonly yLabel: string
}

/** Convergence against queries on a logarithmic scale, one panel per problem, as a self-contained SVG. */
export function convergenceFigure(points: readonly CurvePoint[], text: FigureText, document: Document): string {
  const panels = [...new Set(points.map((point) => point.panel))]
  const methods = [...new Set(points.map((point) => point.method))]
  const figure = Plot.plot({
    document,
    width: 460 * panels.length + 60,
    height: 480,
    marginTop: 96,
    marginLeft: 64,
    marginBottom: 84,
    style: { fontFamily: 'system-ui, sans-serif', fontSize: '12px', background: 'white', color: '#1a1a1a' },
    fx: { domain: panels, label: null, padding: 0.08, axis: null },
    x: { label: 'queries', labelArrow: 'none', labelAnchor: 'center', labelOffset: 36, grid: true, ticks: 5 },
    y: { type: 'log', label: null, grid: true, tickFormat: '.0e' },
    color: { domain: methods, scheme: 'Dark2' },
    marks: [
      Plot.ruleX([0], { stroke: '#999' }),
      Plot.areaY(points, { fx: 'panel', x: 'queries', y1: 'low', y2: 'high', fill: 'method', fillOpacity: 0.12 }),
      Plot.line(points, { fx: 'panel', x: 'queries', y: 'value', stroke: 'method', strokeWidth: 1.8 }),
      Plot.text(panels, {
        fx: (panel: string) => panel,
        text: (panel: string) => panel,
        frameAnchor: 'top',
        dy: -18,
        fontWeight: '600',
      }),
    ],
  })
  const svg = figure as unknown as SVGSVGElement
  svg.querySelector('style')?.remove()
  addHeading(svg, text)
  addLegend(svg, methods, (method) => String(figure.scale('color')?.apply(method)))
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  return `${svg.outerHTML}\n`
}

function addHeading(svg: SVGSVGElement, { title, subtitle, yLabel }: FigureText): void {
  addText(svg, 16, 22, title, 'font-weight="700" font-size="16"')
  addText(svg, 16, 40, subtitle, 'fill="#555"')
  addText(svg, 16, 62, yLabel, '')
}

/** The legend is drawn into the figure itself, so that the file stands alone. */
function addLegend(svg: SVGSVGElement, methods: readonly string[], color: (method: string) => string): void {
  const y = Number(svg.getAttribute('height')) - 16
  let x = 64
  for (const method of methods) {
    append(svg, `<rect x="${x}" y="${y - 9}" width="14" height="4" rx="2" fill="${escaped(color(method))}"/>`)
    addText(svg, x + 20, y - 2, method, '')
    x += 40 + method.length * 7
  }
}

function addText(svg: SVGSVGElement, x: number, y: number, text: string, attributes: string): void {
  append(svg, `<text x="${x}" y="${y}" text-anchor="start" ${attributes}>${escaped(text)}</text>`)
}

function append(svg: SVGSVGElement, markup: string): void {
  svg.insertAdjacentHTML('beforeend', markup)
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
