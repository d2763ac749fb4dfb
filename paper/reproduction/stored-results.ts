import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { evaluationStatus, readEvaluation, readSnapshot, type StoredAttack } from '../../src/app/jobs/index.ts'
import type { ImageShape } from '../../src/index.ts'
import { type Kept, keptIn } from './kept/kept.ts'
import { cellFolder } from './perform-cell.ts'
import type { ReproduceRecord } from './reproduce-record.ts'
import { type Cell, planOf, type Results } from './tables/index.ts'

/** The results of the cells of a reproduction, read from their folders, or where earlier ones are kept; each is read once. */
function storedResults(out: string, kept?: Kept): Results {
  const finished = new Map<string, StoredAttack>()
  const stored = (cell: Cell): StoredAttack | undefined => {
    const folder = cellFolder(out, cell)
    const known = finished.get(cell.name) ?? (isFinished(folder) ? readEvaluation(folder) : undefined)
    if (known !== undefined) finished.set(cell.name, known)
    return known
  }
  return {
    report: (cell) => stored(cell)?.report ?? kept?.report(cell),
    begun: (cell) => kept?.file(cell),
    snapshot: (cell, iteration) => readSnapshot(cellFolder(out, cell), iteration),
    picture(cell, file) {
      const path = join(cellFolder(out, cell), file)
      return existsSync(path) ? readFileSync(path) : undefined
    },
    shape: (cell) => (stored(cell)?.record.model ?? kept?.model(cell))?.shape as unknown as ImageShape | undefined,
    classNames: (cell) => stored(cell)?.record.images.classNames,
  }
}

/** The attacks that a reproduction takes from earlier ones; undefined where it makes all of them. */
export function keptOf({ kept, settings }: ReproduceRecord): Kept | undefined {
  return kept === undefined ? undefined : keptIn(kept, planOf(settings).profile)
}

/** The results of a reproduction, with those it takes from earlier ones. */
export function recordedResults(out: string, record: ReproduceRecord): Results {
  return storedResults(out, keptOf(record))
}

function isFinished(folder: string): boolean {
  return existsSync(folder) && evaluationStatus(folder).state === 'finished'
}
