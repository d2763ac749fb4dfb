import { join } from 'node:path'
import { writeAttackData } from '../../src/cli/attack/conclude-attack.ts'
import { letGo, recordOf } from '../../src/cli/attack/run-attack.ts'
import type { Watcher } from '../../src/cli/watch.ts'
import { compileAttack, openAttack } from '../../src/spec/attack/index.ts'
import { readReport } from '../../src/work/evaluation/attack-files.ts'
import { createAttack, readAttack } from '../../src/work/evaluation/attack-record.ts'
import { isHopeless, performAttack } from '../../src/work/evaluation/perform-attack.ts'
import { sameAttack } from '../../src/work/evaluation/same-attack.ts'
import { keepLastSnapshot } from '../../src/work/evaluation/snapshots.ts'
import { isAttack } from '../../src/work/folders.ts'
import type { Cell } from './tables/index.ts'

/** The folder of a cell, which is that of an attack. */
export function cellFolder(out: string, { name }: Pick<Cell, 'name'>): string {
  return join(out, 'cells', name)
}

/** Begins the attack of a cell, or goes on with it; false where it was interrupted. One that has ended asks nothing. */
export async function performCell(out: string, cell: Cell, watching: Watcher): Promise<boolean> {
  const folder = cellFolder(out, cell)
  const compiled = compileAttack(cell.spec, { locate: () => `${cell.name}: ` })
  const isThere = isAttack(folder)
  if (isThere) sameAttack(folder, compiled)
  if (!isThere || readReport(folder) === undefined) {
    const opened = await openAttack(compiled)
    try {
      if (!isThere) await createAttack(folder, recordOf(cell.name, compiled, opened))
      const record = readAttack(folder)
      const report = await performAttack(
        { folder, record, opened, label: cell.name, snapshots: cell.snapshots },
        watching,
      )
      if (report === undefined) return false
      if (isHopeless(report.images)) watching.warn(`${cell.name}: no image could be attacked`)
      writeAttackData({ folder, record, report })
    } finally {
      await letGo(opened)
    }
  }
  const last = cell.snapshots?.at(-1)
  if (last !== undefined) await keepLastSnapshot(folder, last)
  return true
}
