import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { layout, readJson } from '../../src/cli/attack/attack-layout.ts'
import type { ListedRun } from '../../src/cli/list-all.ts'
import { isAttack, reproductionFile } from '../../src/cli/run-places.ts'
import { folderHolder } from '../../src/trace/index.ts'

/** A reproduction as a list shows it: by its files alone, without the plan of what is still to come. */
export function listedReproduction(folder: string): ListedRun {
  const record = readJson(join(folder, reproductionFile))
  if (record?.format !== 'zeroth-reproduction') {
    const problem = `${join(folder, reproductionFile)} is damaged`
    return { run: folder, kind: 'reproduction', status: 'damaged', problem }
  }
  const { created, seconds } = record as { created?: string; seconds?: number }
  const { finished, begun, isRunning } = countCells(folder)
  const under = begun === finished ? '' : isRunning ? `, ${begun - finished} running` : ', interrupted'
  return { run: folder, kind: 'reproduction', status: `${finished} attacks finished${under}`, created, seconds }
}

function countCells(folder: string): { finished: number; begun: number; isRunning: boolean } {
  const cells = join(folder, 'cells')
  const begun = existsSync(cells)
    ? readdirSync(cells)
        .map((name) => join(cells, name))
        .filter(isAttack)
    : []
  const open = begun.filter((cell) => !existsSync(join(cell, layout.summary)))
  const isRunning = open.some((cell) => folderHolder(cell) !== undefined)
  return { finished: begun.length - open.length, begun: begun.length, isRunning }
}
