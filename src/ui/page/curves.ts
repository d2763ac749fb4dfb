import { useEffect, useRef, useState } from 'preact/hooks'
import { type Curve, curveOf, partOf } from '../../report/chart/curve.ts'
import { distinctStyles } from '../../report/palette.ts'
import type { CurveData, CurveRow } from '../api.ts'
import type { Part } from './chart.tsx'
import { get } from './server.ts'
import { rows, useFetched, useMessages } from './store.ts'
import { wholeText } from './text.ts'

/** What curves are drawn against. */
export type Against = 'queries' | 'seconds'

/** What is shown of some runs. */
interface Wanted {
  readonly ids: readonly string[]
  readonly against: Against
  /** From where to where, where that is not all. */
  readonly part?: Part | undefined
}

/** The courses of some runs, as far as they are known. */
export interface Curves {
  /** Changes with every iteration that is added. */
  readonly version: string
  /** Where the longest ends. */
  readonly end: number
  /** How many iterations are drawn of how many; nothing where it is all of them. */
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
    const curve = message.type === 'progress' ? known.current.get(message.id) : undefined
    if (message.type !== 'progress' || curve === undefined || message.tail.length === 0) return
    const last = curve.rows.at(-1)?.[0] ?? 0
    const added = message.tail.filter(([iteration]) => iteration > last)
    if (added.length === 0) return
    known.current.set(message.id, { rows: [...curve.rows, ...added], total: added.at(-1)?.[0] ?? curve.total })
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

/** All that is known of a course: where it is known finely, that. */
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

/** Says that not all lines are drawn, where that is so. */
export function firstOnly(count: number): string {
  return count > distinctStyles ? `Only the first ${distinctStyles} of ${count} are drawn.` : ''
}
