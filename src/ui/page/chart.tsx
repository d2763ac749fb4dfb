import { useEffect, useRef, useState } from 'preact/hooks'
import { chartTable } from '../../report/chart/chart-table.ts'
import type { Chart } from '../../report/chart/plot-chart.ts'
import { textOf } from '../../report/markup.ts'
import { type ChartOverlay, chartOverlay } from '../../report/overlay/chart-overlay.ts'

/** Milliseconds between two drawings of a chart at least. */
const pause = 200

interface Props {
  /** Changes whenever there is something new to draw. */
  readonly version: unknown
  readonly caption: string
  /** Draws; undefined where there is nothing to draw yet. */
  readonly draw: () => Chart | undefined
  readonly remark?: string | undefined
}

/**
 * A chart of the reports, redrawn while its work runs: at most five times a second, in an animation frame, and not
 * under the reader's hand. What is zoomed and what is read stay.
 */
export function LiveChart({ version, caption, draw, remark }: Props) {
  const plot = useRef<HTMLDivElement>(null)
  const overlay = useRef<ChartOverlay>(undefined)
  const drawn = useRef(Number.NEGATIVE_INFINITY)
  const drawLatest = useRef(draw)
  drawLatest.current = draw
  const [chart, setChart] = useState<Chart>()
  const [isOpen, setOpen] = useState(false)
  const isScheduled = useRef(false)
  useEffect(() => {
    if (isScheduled.current) return
    isScheduled.current = true
    const act = (): void => {
      isScheduled.current = false
      // The next change after the drag draws it.
      if (overlay.current?.isDragged() || plot.current === null) return
      drawn.current = performance.now()
      setChart(drawLatest.current())
    }
    setTimeout(() => requestAnimationFrame(act), Math.max(0, drawn.current + pause - performance.now()))
  }, [version])
  useEffect(() => {
    const holder = plot.current
    if (holder === null || chart?.data === undefined) return
    const drawing = holder.firstElementChild as HTMLElement
    // What Plot draws is markup; all texts in it were escaped where they were put in.
    drawing.innerHTML = textOf(chart.inline)
    if (overlay.current === undefined) overlay.current = chartOverlay(holder, chart.data)
    else overlay.current.update(chart.data)
  }, [chart])
  return (
    <figure class="chart">
      <div class="plot" ref={plot}>
        <div class="drawing" />
      </div>
      {chart === undefined && <p class="remark">No iteration has brought a value yet.</p>}
      <figcaption>
        {caption}. {chart?.note} {remark}
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
