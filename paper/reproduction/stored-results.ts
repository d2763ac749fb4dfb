import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImageShape } from '../../src/index.ts'
import { evaluationStatus, readEvaluation, readSnapshot, type StoredAttack } from '../../src/work/index.ts'
import { cellFolder } from './perform-cell.ts'
import type { Cell, Results } from './tables/index.ts'

/** The results of the cells of a reproduction, read from their folders; each is read once. */
export function storedResults(out: string): Results {
  const finished = new Map<string, StoredAttack>()
  const stored = (cell: Cell): StoredAttack | undefined => {
    const folder = cellFolder(out, cell)
    const known = finished.get(cell.name) ?? (isFinished(folder) ? readEvaluation(folder) : undefined)
    if (known !== undefined) finished.set(cell.name, known)
    return known
  }
  return {
    report: (cell) => stored(cell)?.report,
    snapshot: (cell, iteration) => readSnapshot(cellFolder(out, cell), iteration),
    picture(cell, file) {
      const path = join(cellFolder(out, cell), file)
      return existsSync(path) ? readFileSync(path) : undefined
    },
    shape: (cell) => stored(cell)?.record.model.shape as unknown as ImageShape | undefined,
    classNames: (cell) => stored(cell)?.record.images.classNames,
  }
}

function isFinished(folder: string): boolean {
  return existsSync(folder) && evaluationStatus(folder).state === 'finished'
}
