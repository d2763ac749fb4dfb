import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AttackReport } from '../../src/attacks/index.ts'
import type { ImageShape } from '../../src/index.ts'
import { readReport } from '../../src/work/evaluation/attack-files.ts'
import { type AttackRecord, readAttack } from '../../src/work/evaluation/attack-record.ts'
import { readSnapshot } from '../../src/work/evaluation/snapshots.ts'
import { isAttack } from '../../src/work/folders.ts'
import { cellFolder } from './perform-cell.ts'
import type { Cell, Results } from './tables/index.ts'

/** What the cells of a reproduction came to, read from their folders; what has come to its end is read once. */
export function storedResults(out: string): Results {
  const reports = new Map<string, AttackReport>()
  const records = new Map<string, AttackRecord>()
  const recordOf = (cell: Cell): AttackRecord | undefined => {
    const folder = cellFolder(out, cell)
    const record = records.get(cell.name) ?? (isAttack(folder) ? readAttack(folder) : undefined)
    if (record !== undefined) records.set(cell.name, record)
    return record
  }
  return {
    report(cell) {
      const folder = cellFolder(out, cell)
      const report = reports.get(cell.name) ?? (isAttack(folder) ? readReport(folder) : undefined)
      if (report !== undefined) reports.set(cell.name, report)
      return report
    },
    snapshot: (cell, iteration) => readSnapshot(cellFolder(out, cell), iteration),
    picture(cell, file) {
      const path = join(cellFolder(out, cell), file)
      return existsSync(path) ? readFileSync(path) : undefined
    },
    shape: (cell) => recordOf(cell)?.model.shape as unknown as ImageShape | undefined,
    classNames: (cell) => recordOf(cell)?.images.classNames,
  }
}
