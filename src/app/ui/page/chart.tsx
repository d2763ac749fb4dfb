import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { LineText } from '../../report/chart/charts.ts'
import { type Curve, curveOf, partOf } from '../../report/chart/curve.ts'
import type { Chart } from '../../report/chart/plot-chart.ts'
import { textOf } from '../../report/markup.ts'
import { type ChartOverlay, chartOverlay } from '../../report/overlay/chart-overlay.ts'
import { chartTable } from '../../report/page/elements.ts'
import { distinctStyles } from '../../report/palette.ts'
import type { CurveData, CurveRow } from '../api.ts'
import { route, setParams } from './route.ts'
import { get, rows, useFetched, useMessages } from './store.ts'
import { wholeText } from './text.ts'

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
  /** Draws; undefined if there is nothing to draw yet. */
  readonly draw: (view: ChartView) => Chart | undefined
  readonly remark?: string | undefined
  /** What is said if there is nothing to draw. */
  readonly empty?: string
  /** What its zoom is called in the address. */
  readonly zoom?: string | undefined
}

/** From where to where the reader has zoomed, as the address says, and what changes that. */
export function useZoom(name = 'zoom'): readonly [Part | undefined, (part?: Part) => void] {
  const [from = Number.NaN, to = Number.NaN] = (route.value.params.get(name) ?? '').split('..').map(Number)
  const zoomTo = (part?: Part): void => setParams({ [name]: part?.map(short).join('..') }, addressPause)
  return [from < to && Number.isFinite(to - from) ? [from, to] : undefined, zoomTo]
}

/**
 * A chart of the reports, redrawn while its job runs: at most five times a second, in an animation frame, and not
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
  const plot = useRef<HTMLDivElement>(null)
  const { chart, said } = useDrawing(plot, { version, draw, remark, zoom })
  const [isOpen, setOpen] = useState(false)
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

/** Draws a chart into the first child of `plot` and keeps it up to date; what is drawn, and what was said of it then. */
function useDrawing(
  plot: RefObject<HTMLDivElement | null>,
  { version, draw, remark, zoom }: Pick<Props, 'version' | 'draw' | 'remark' | 'zoom'>,
): { readonly chart?: Chart | undefined; readonly said?: string | undefined } {
  const [part, zoomTo] = useZoom(zoom)
  const overlay = useRef<ChartOverlay>(undefined)
  const drawn = useRef(Number.NEGATIVE_INFINITY)
  // What is said of a chart belongs to the moment in which it was drawn.
  const latest = useRef({ draw, remark })
  latest.current = { draw, remark }
  const [drawing, setDrawn] = useState<{ chart?: Chart | undefined; said?: string | undefined }>({})
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
  const { chart } = drawing
  useLayoutEffect(() => {
    const holder = plot.current
    if (holder === null || chart?.data === undefined) return
    const first = holder.firstElementChild as HTMLElement
    // What Plot draws is markup; all texts in it were escaped where they were put in.
    first.innerHTML = textOf(chart.inline)
    if (overlay.current === undefined) overlay.current = chartOverlay(holder, chart.data, zoomTo)
    else overlay.current.update(chart.data)
  }, [chart])
  return drawing
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

/** What curves are drawn against. */
export type Against = 'queries' | 'seconds'

/** What is shown of some runs. */
interface Wanted {
  readonly ids: readonly string[]
  readonly against: Against
  /** From where to where, if that is not all. */
  readonly part?: Part | undefined
}

/** The courses of some runs, as far as they are known. */
export interface Curves {
  /** Changes with every iteration that is added. */
  readonly version: string
  /** Where the longest ends. */
  readonly end: number
  /** How many iterations are drawn of how many; nothing if it is all of them. */
  readonly thinned: string
  /** A field of the course of a run, as far as it is seen. */
  curve(id: string, field: 'value' | 'best'): Curve
}

/** Iterations of a run that are kept before they are fetched anew, thinned. */
const mostRows = 3000
/** Points of a curve that are fetched, over all curves. */
const mostPoints = 6000
/** Milliseconds after the last zoom until what it shows is fetched. */
const zoomPause = 150

/** The courses of some runs, with what is added while they are shown, and all that is known of the part that is seen. */
export function useCurves({ ids, against, part }: Wanted): Curves {
  const known = useRef<Map<string, CurveData>>(new Map())
  const finer = useRef<Map<string, CurveData>>(new Map())
  const [version, setVersion] = useState(0)
  const states = ids.map((id) => rows.value.get(id)?.state ?? '').join()
  const bins = Math.max(15, Math.min(240, Math.floor(mostPoints / Math.max(1, ids.length) / 4)))
  const key = `curves ${ids.join()} ${states} ${against}`
  const fetched = async (query: object): Promise<Map<string, CurveData>> => {
    const all = await Promise.all(ids.map((id) => get<CurveData>(`works/${id}/curve`, { bins, x: against, ...query })))
    return new Map(ids.map((id, i) => [id, all[i] as CurveData]))
  }
  const { reload, isLoading } = useFetched(key, async () => {
    known.current = await fetched({})
    finer.current = new Map()
    setVersion((n) => n + 1)
  })
  const isThinned = ids.some((id) => isShort(known.current.get(id)))
  const seen = useSettled(part !== undefined && isThinned && !isLoading ? part : undefined)
  useFetched(`${key} ${seen?.join()} ${isLoading}`, async () => {
    if (seen === undefined) return
    finer.current = await fetched({ from: seen[0], to: seen[1] })
    setVersion((n) => n + 1)
  })
  useMessages((message) => {
    const curve = message.type === 'progress' ? known.current.get(message.job.id) : undefined
    if (message.type !== 'progress' || curve === undefined || message.tail.length === 0) return
    const last = curve.rows.at(-1)?.[0] ?? 0
    const added = message.tail.filter(([iteration]) => iteration > last)
    if (added.length === 0) return
    known.current.set(message.job.id, { rows: [...curve.rows, ...added], total: added.at(-1)?.[0] ?? curve.total })
    setVersion((n) => n + 1)
    if (curve.rows.length > mostRows) reload()
  })
  const rowsOf = (id: string): readonly CurveRow[] => merged(known.current.get(id)?.rows, finer.current.get(id)?.rows)
  const at = columns[against]
  return {
    version: `${version} ${ids.join()} ${against} ${part?.join()}`,
    end: Math.max(0, ...ids.map((id) => known.current.get(id)?.rows.at(-1)?.[at] ?? 0)),
    thinned: isThinned ? thinnedText(ids.map(rowsOf), at, part) : '',
    curve(id, field) {
      const own = rowsOf(id)
      const column = (index: number): number[] => own.map((row) => row[index] ?? Number.NaN)
      const curve = curveOf(column(at), column(columns[field]))
      return part === undefined ? curve : partOf(curve, part)
    },
  }
}

const columns = { queries: 1, seconds: 2, value: 3, best: 4 } as const

function isShort(data: CurveData | undefined): boolean {
  return data !== undefined && data.total > data.rows.length
}

/** All that is known of a course: if it is known finely, that. */
function merged(all: readonly CurveRow[] = [], fine: readonly CurveRow[] = []): readonly CurveRow[] {
  const [first, last] = [fine[0]?.[0], fine.at(-1)?.[0]]
  if (first === undefined || last === undefined) return all
  return [...all.filter(([iteration]) => iteration < first), ...fine, ...all.filter(([iteration]) => iteration > last)]
}

/** A part once it has not changed for a moment. */
function useSettled(part: Part | undefined): Part | undefined {
  const [settled, setSettled] = useState(part)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(part), zoomPause)
    return () => clearTimeout(timer)
  }, [part?.join()])
  return settled
}

/** Every iteration has one row, so that the numbers of the first and the last one that are seen tell how many there are. */
function thinnedText(
  all: readonly (readonly CurveRow[])[],
  column: number,
  [from, to]: Part = [-Infinity, Infinity],
): string {
  const seen = all.map((own) => own.filter((row) => (row[column] ?? 0) >= from && (row[column] ?? 0) <= to))
  const drawn = seen.reduce((sum, own) => sum + own.length, 0)
  const total = seen.reduce((sum, own) => sum + (own.at(-1)?.[0] ?? 0) - (own[0]?.[0] ?? 1) + 1, 0)
  const where = from === -Infinity ? '' : ' in view'
  return drawn < total
    ? `Drawn from ${wholeText(drawn)} of ${wholeText(total)} iterations${where}: zoom in to see more of them.`
    : `All ${wholeText(total)} iterations in view are drawn.`
}

/** Says that not all lines are drawn, if that is so. */
export function firstOnly(count: number): string {
  return count > distinctStyles ? `Only the first ${distinctStyles} of ${count} are drawn.` : ''
}
