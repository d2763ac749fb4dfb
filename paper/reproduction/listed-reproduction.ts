import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { evaluationStatus } from '../../src/app/jobs/index.ts'
import { reproductionFile } from './reproduce-record.ts'

/** A reproduction in a list. */
export interface ListedReproduction {
  readonly run: string
  readonly status: string
  readonly created?: string | undefined
  readonly seconds?: number | undefined
  /** Why it cannot be read. */
  readonly problem?: string | undefined
}

/** The reproductions in a folder, and the folder itself where it is one; oldest first. */
export function listReproductions(folder: string): ListedReproduction[] {
  const inside = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return [folder, ...inside.map(({ name }) => join(folder, name))]
    .filter((each) => existsSync(join(each, reproductionFile)))
    .map(listedReproduction)
    .sort((a, b) => ((a.created ?? '') < (b.created ?? '') ? -1 : Number((a.created ?? '') > (b.created ?? ''))))
}

/** A reproduction as a list shows it: by its files alone, without the plan of what is still to come. */
function listedReproduction(folder: string): ListedReproduction {
  const record = readRecord(join(folder, reproductionFile))
  if (record?.format !== 'zeroth-reproduction') {
    return { run: folder, status: 'damaged', problem: `${join(folder, reproductionFile)} is damaged` }
  }
  const { created, seconds } = record as { created?: string; seconds?: number }
  const { finished, begun, isRunning } = countCells(folder)
  const under = begun === finished ? '' : isRunning ? `, ${begun - finished} running` : ', interrupted'
  return { run: folder, status: `${finished} attacks finished${under}`, created, seconds }
}

function readRecord(file: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

function countCells(folder: string): { finished: number; begun: number; isRunning: boolean } {
  const cells = join(folder, 'cells')
  const states = (existsSync(cells) ? readdirSync(cells) : []).map((name) => evaluationStatus(join(cells, name)).state)
  const begun = states.filter((state) => state !== 'damaged')
  const finished = begun.filter((state) => state === 'finished').length
  return { finished, begun: begun.length, isRunning: begun.includes('running') }
}
