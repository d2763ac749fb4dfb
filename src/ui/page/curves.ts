import { useEffect, useRef, useState } from 'preact/hooks'
import { type Curve, curveOf } from '../../report/chart/curve.ts'
import { distinctStyles } from '../../report/palette.ts'
import type { CurveData, CurveRow } from '../api.ts'
import { get } from './server.ts'
import { rows, useFetched, useMessages } from './store.ts'

/** What curves are drawn against. */
export type Against = 'queries' | 'seconds'

/** The courses of some runs, as far as they are known. */
export interface Curves {
  readonly byId: ReadonlyMap<string, CurveData>
  /** Changes with every iteration that is added. */
  readonly version: string
  readonly isLoading: boolean
}

/** Iterations of a run that are kept before they are fetched anew, thinned. */
const mostRows = 3000
/** Points of a curve that are fetched, over all curves. */
const mostPoints = 6000
/** Milliseconds between two fetches of curves against time: events do not say how long an iteration took. */
const timedPause = 2000

/** The courses of some runs, with what is added while they are shown. */
export function useCurves(ids: readonly string[], against: Against): Curves {
  const known = useRef<Map<string, CurveData>>(new Map())
  const [version, setVersion] = useState(0)
  const states = ids.map((id) => rows.value.get(id)?.state ?? '').join()
  const bins = Math.max(15, Math.min(240, Math.floor(mostPoints / Math.max(1, ids.length) / 4)))
  const { isLoading, reload } = useFetched(`curves ${ids.join()} ${states} ${against}`, async () => {
    const fetched = await Promise.all(ids.map((id) => get<CurveData>(`works/${id}/curve`, { bins, x: against })))
    known.current = new Map(ids.map((id, i) => [id, fetched[i] as CurveData]))
    setVersion((n) => n + 1)
  })
  useMessages((message) => {
    const curve = message.type === 'progress' ? known.current.get(message.id) : undefined
    if (message.type !== 'progress' || curve === undefined || message.tail.length === 0) return
    const last = curve.rows.at(-1)?.[0] ?? 0
    const added = message.tail.filter(([iteration]) => iteration > last)
    if (added.length === 0) return
    known.current.set(message.id, { rows: [...curve.rows, ...added], total: added.at(-1)?.[0] ?? curve.total })
    setVersion((n) => n + 1)
    if (curve.rows.length > mostRows) reload()
  })
  const isTimed = against === 'seconds' && states.includes('running')
  useEffect(() => {
    if (!isTimed) return undefined
    const timer = setInterval(reload, timedPause)
    return () => clearInterval(timer)
  }, [isTimed])
  return { byId: known.current, version: `${version} ${ids.join()} ${against}`, isLoading }
}

const columns = { iteration: 0, queries: 1, seconds: 2, value: 3, best: 4 } as const

/** One field of a course against another. */
export function curveFrom(data: CurveData | undefined, against: Against, field: 'value' | 'best'): Curve {
  const column = (name: keyof typeof columns): number[] =>
    (data?.rows ?? []).map((row: CurveRow) => row[columns[name]] ?? Number.NaN)
  return curveOf(column(against), column(field))
}

/** How many iterations are shown of how many; nothing where it is all of them. */
export function thinnedText(data: readonly (CurveData | undefined)[]): string | undefined {
  const shown = data.reduce((sum, each) => sum + (each?.rows.length ?? 0), 0)
  const total = data.reduce((sum, each) => sum + (each?.total ?? 0), 0)
  if (total <= shown) return undefined
  const count = new Intl.NumberFormat('en')
  return `Drawn from ${count.format(shown)} of ${count.format(total)} iterations.`
}

/** Says that not all lines are drawn, where that is so. */
export function firstOnly(count: number): string {
  return count > distinctStyles ? `Only the first ${distinctStyles} of ${count} are drawn.` : ''
}
