import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { chartTable } from '../../report/chart/chart-table.ts'
import type { LineText } from '../../report/chart/convergence-chart.ts'
import type { Chart } from '../../report/chart/plot-chart.ts'
import { textOf } from '../../report/markup.ts'
import { type ChartOverlay, chartOverlay } from '../../report/overlay/chart-overlay.ts'
import { route, setParams } from './route.ts'

/** Milliseconds between two drawings of a chart at least, and after the last zoom until the address has it. */
const pause = 200
const addressPause = 300

/** From where to where progress is shown. */
export type Part = readonly [number, number]

/** How a chart is drawn on this screen. */
export type ChartView = Pick<LineText, 'document' | 'width' | 'part'>

interface Props {
  /** Changes whenever there is something new to draw. */
  readonly version: unknown
  readonly caption: string
  /** Draws; undefined where there is nothing to draw yet. */
  readonly draw: (view: ChartView) => Chart | undefined
  readonly remark?: string | undefined
  /** What is said where there is nothing to draw. */
  readonly empty?: string
  /** What its zoom is called in the address. */
  readonly zoom?: string
}

/** From where to where the reader has zoomed, as the address says, and what changes that. */
export function useZoom(name = 'zoom'): readonly [Part | undefined, (part?: Part) => void] {
  const [from = Number.NaN, to = Number.NaN] = (route.value.params.get(name) ?? '').split('..').map(Number)
  const zoomTo = (part?: Part): void => setParams({ [name]: part?.map(short).join('..') }, addressPause)
  return [from < to && Number.isFinite(to - from) ? [from, to] : undefined, zoomTo]
}

/**
 * A chart of the reports, redrawn while its work runs: at most five times a second, in an animation frame, and not
 * under the reader's hand. What is zoomed and what is read stay. It is as wide as its place, so that small screens can read
 * it.
 */
export function LiveChart({
  version,
  caption,
  draw,
  remark,
  zoom,
  empty = 'No iteration has brought a value yet.',
}: Props) {
  const [part, zoomTo] = useZoom(zoom)
  const plot = useRef<HTMLDivElement>(null)
  const overlay = useRef<ChartOverlay>(undefined)
  const drawn = useRef(Number.NEGATIVE_INFINITY)
  // What is said of a chart belongs to the moment in which it was drawn.
  const latest = useRef({ draw, remark })
  latest.current = { draw, remark }
  const [{ chart, said }, setDrawn] = useState<{ chart?: Chart | undefined; said?: string | undefined }>({})
  const [isOpen, setOpen] = useState(false)
  const isScheduled = useRef(false)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(widthFor(entry?.contentRect.width ?? 0)))
    if (plot.current !== null) observer.observe(plot.current)
    return () => observer.disconnect()
  }, [])
  const view = useRef<ChartView>({ document })
  view.current = { document, width, part }
  useEffect(() => {
    if (isScheduled.current) return
    isScheduled.current = true
    const act = (): void => {
      isScheduled.current = false
      // The next change after the drag draws it.
      if (overlay.current?.isDragged() || plot.current === null || view.current.width === 0) return
      drawn.current = performance.now()
      setDrawn({ chart: latest.current.draw(view.current), said: latest.current.remark })
    }
    setTimeout(() => requestAnimationFrame(act), Math.max(0, drawn.current + pause - performance.now()))
  }, [version, width, part?.join()])
  useLayoutEffect(() => {
    const holder = plot.current
    if (holder === null || chart?.data === undefined) return
    const drawing = holder.firstElementChild as HTMLElement
    // What Plot draws is markup; all texts in it were escaped where they were put in.
    drawing.innerHTML = textOf(chart.inline)
    if (overlay.current === undefined) overlay.current = chartOverlay(holder, chart.data, zoomTo)
    else overlay.current.update(chart.data)
  }, [chart])
  return (
    <figure class="chart">
      <div class="plot" ref={plot}>
        <div class="drawing" />
      </div>
      {chart === undefined && <p class="remark">{empty}</p>}
      <figcaption>
        {caption}. {chart?.note} {said}
      </figcaption>
      {chart?.data !== undefined && (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>Values</summary>
          {isOpen && <Values chart={chart} caption={caption} />}
        </details>
      )}
    </figure>
  )
}

/** As many digits as a place in a long run can need. */
function short(place: number): number {
  return Number(place.toPrecision(12))
}

/** Units are pixels, so that texts have the size of others; only in a very narrow place charts shrink. */
function widthFor(pixels: number): number {
  return Math.max(240, Math.round(pixels))
}

/** The values of a chart in a table, made when it is unfolded. */
function Values({ chart, caption }: { readonly chart: Chart; readonly caption: string }) {
  const holder = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (holder.current !== null && chart.data !== undefined) {
      holder.current.innerHTML = textOf(chartTable(chart.data, caption))
    }
  }, [chart])
  return <div ref={holder} />
}
