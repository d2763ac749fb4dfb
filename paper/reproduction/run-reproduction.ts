import { availableParallelism } from 'node:os'
import type { Watcher } from '../../src/app/cli/terminal.ts'
import { compileAttack } from '../../src/app/spec/attack/index.ts'
import { ZerothError } from '../../src/index.ts'
import { cellLine } from './cell-line.ts'
import { performCells } from './cell-team.ts'
import type { Cell, Experiment, Plan, Results } from './tables/index.ts'

/** How the cells of a reproduction are performed. */
export interface Conduct {
  /** Cells at work at once; as many as there are cores if left out, one where the model is reached over HTTP. */
  readonly workers?: number | undefined
  /** Only cells whose names contain this, or one of several texts with commas between; the others are left for later. */
  readonly only?: string | undefined
  readonly watching: Watcher
  /** Told of every cell that has come to its end. */
  readonly onDone?: (() => void) | undefined
}

/** All cells that some experiments need as far as they can be told by now, each once. */
export function cellsOf(experiments: readonly Experiment[], plan: Plan, results: Results): Cell[] {
  const cells = new Map<string, Cell>()
  for (const cell of experiments.flatMap((experiment) => experiment.cells(plan, results))) {
    const known = cells.get(cell.name)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(cell)) {
      throw new ZerothError('invalid-option', `two different attacks are called ${cell.name}`)
    }
    cells.set(cell.name, cell)
  }
  return [...cells.values()]
}

/** Whether a cell is one of those that `only` names. */
function isNamed({ name }: Cell, only: string): boolean {
  return only.split(',').some((text) => name.includes(text.trim()))
}

/** The cells known by now that have not finished, of those that `only` names. */
export function missingCells(
  experiments: readonly Experiment[],
  plan: Plan,
  results: Results,
  only: string = '',
): Cell[] {
  return cellsOf(experiments, plan, results).filter((cell) => isNamed(cell, only) && results.report(cell) === undefined)
}

/** Performs what is missing, then what that makes possible; false where it was interrupted. */
export async function runReproduction(
  out: string,
  experiments: readonly Experiment[],
  plan: Plan,
  results: Results,
  { workers: wanted, only = '', watching, onDone }: Conduct,
): Promise<boolean> {
  for (;;) {
    const left = missingCells(experiments, plan, results, only)
    if (left.length === 0) return true
    const missing = nextCells(left)
    const workers = wanted ?? (await usualWorkers(missing))
    const known = cellsOf(experiments, plan, results).filter((cell) => isNamed(cell, only))
    const line = cellLine(known.length - left.length, missing, () => performance.now())
    const done = (cell: Cell): void => {
      line.done(cell)
      onDone?.()
    }
    const end = watching.display(line)
    try {
      const local = missing.map((cell) => withBegun(withJobs(cell, workers), results))
      if (!(await performCells(out, local, { workers, watching, onDone: done, onShare: line.progress }))) return false
    } finally {
      end()
    }
  }
}

/** With the images that need not be attacked again. */
function withBegun(cell: Cell, results: Results): Cell {
  const begun = results.begun?.(cell)
  return begun === undefined ? cell : { ...cell, begun }
}

/** Those of some cells that wait for no other. */
export function nextCells(missing: readonly Cell[]): Cell[] {
  const first = Math.min(...missing.map(({ order = 0 }) => order))
  return missing.filter(({ order = 0 }) => order === first)
}

/** A service must not be asked by several processes at once: each would keep to the rate on its own. */
async function usualWorkers([cell]: readonly Cell[]): Promise<number> {
  return cell !== undefined && (await compileAttack(cell.spec)).isRemote ? 1 : availableParallelism()
}

/** Where several processes share the cores each has one copy of the network at work. */
function withJobs(cell: Cell, workers: number): Cell {
  const isServed = workers === 1 || cell.spec.jobs !== undefined
  return isServed ? cell : { ...cell, spec: { ...cell.spec, jobs: 1 } }
}
