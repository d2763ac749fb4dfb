import { join } from 'node:path'
import { type JobEvent, measuredNothing, openEvaluation } from '../../src/app/jobs/index.ts'
import { keptImages } from './kept/kept.ts'
import type { Cell } from './tables/index.ts'

/** How a cell is stopped, and who is told what happens. */
export interface CellWatch {
  readonly signal: AbortSignal
  readonly say: (text: string) => void
  readonly warn: (text: string) => void
  /** How much of the cell is done, from 0 to 1; told first when nothing of it is done in this process. */
  readonly onShare: (share: number) => void
}

/** The folder of a cell, which is that of an attack. */
export function cellFolder(out: string, { name }: Pick<Cell, 'name'>): string {
  return join(out, 'cells', name)
}

/** Begins the attack of a cell, or continues it; false where it was interrupted. One that has ended asks nothing. */
export async function performCell(out: string, cell: Cell, watch: CellWatch): Promise<boolean> {
  const { name, spec, snapshots, begun } = cell
  const known = begun === undefined ? [] : keptImages(begun)
  const evaluation = await openEvaluation(cellFolder(out, cell), spec, { snapshots, known, locate: () => `${name}: ` })
  let isDone = false
  for await (const event of evaluation.perform({ signal: watch.signal })) {
    tell(event, watch)
    if (event.type === 'finished') isDone = event.status === 'finished'
  }
  if (measuredNothing(evaluation.result()?.images ?? []) && isDone) watch.warn(`${name}: no image could be attacked`)
  return isDone
}

function tell(event: JobEvent, { say, warn, onShare }: CellWatch): void {
  if (event.type === 'progress' && event.phase !== 'screening') onShare(event.share ?? 0)
  if (event.type !== 'warning') return
  if (event.code === 'images') warn(`warning: ${event.message}`)
  else say(event.message)
}
