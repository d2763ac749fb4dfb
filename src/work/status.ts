import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { explainError } from '../cli/explain-error.ts'
import { listRuns, type RunSummary } from '../trace/index.ts'
import { listedAttack } from './evaluation/status.ts'
import { isAttack, isSeries } from './folders.ts'
import { readPlan } from './series-plan.ts'

/** A run, a series, a search or an attack in a list. */
export interface ListedRun {
  /** Its folder. */
  readonly run: string
  readonly kind: 'run' | 'series' | 'search' | 'attack'
  /** Of several runs: how many have finished. */
  readonly status: string
  readonly created?: string | undefined
  readonly iterations?: number | undefined
  readonly queries?: number | undefined
  readonly best?: number | undefined
  readonly seconds?: number | undefined
  /** Why it cannot be read. */
  readonly problem?: string | undefined
  /** The runs of a series or a search. */
  readonly runs?: readonly ListedRun[] | undefined
}

/** Everything in a folder that was run, oldest first. */
export async function listAll(folder: string): Promise<ListedRun[]> {
  const inside = await foldersIn(folder)
  const runs = (await listRuns(folder)).map(listedRun)
  const attacks = inside.filter(isAttack).map(listedAttack)
  const series = await Promise.all(inside.filter(isSeries).map(listedSeries))
  return [...runs, ...attacks, ...series].sort((a, b) =>
    (a.created ?? '') < (b.created ?? '') ? -1 : Number((a.created ?? '') > (b.created ?? '')),
  )
}

function listedRun(run: RunSummary): ListedRun {
  const { folder, status } = run
  if (run.status === 'damaged') return { run: folder, kind: 'run', status, problem: run.problem }
  const { created, iterations, queries, best, seconds } = run
  return { run: folder, kind: 'run', status, created, iterations, queries, best, seconds }
}

async function listedSeries(folder: string): Promise<ListedRun> {
  try {
    const plan = await readPlan(folder)
    const found = [
      ...(await listRuns(folder)).map(listedRun),
      ...(await foldersIn(folder)).filter(isAttack).map(listedAttack),
    ]
    const finished = found.filter(({ status }) => status === 'finished').length
    const planned = plan?.kind === 'repeat' ? plan.seeds.length : found.length
    return {
      run: folder,
      kind: plan?.kind === 'repeat' ? 'series' : 'search',
      status: `${finished} of ${planned} finished`,
      created: plan?.created,
      ...totals(found),
      runs: found,
    }
  } catch (error) {
    return { run: folder, kind: 'series', status: 'damaged', problem: explainError(error).message }
  }
}

function totals(runs: readonly ListedRun[]): Pick<ListedRun, 'iterations' | 'queries' | 'best' | 'seconds'> {
  const sum = (field: 'iterations' | 'queries' | 'seconds') => runs.reduce((total, run) => total + (run[field] ?? 0), 0)
  const values = runs.flatMap(({ best = Number.NaN }) => (Number.isNaN(best) ? [] : [best]))
  const best = values.length === 0 ? Number.NaN : Math.min(...values)
  return { iterations: sum('iterations'), queries: sum('queries'), seconds: sum('seconds'), best }
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
}
