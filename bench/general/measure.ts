import { openOracle } from './oracle.ts'
import type { Problem } from './problem.ts'
import type { MinimizerRows, Row } from './rows.ts'
import type { Ending, Solver } from './solver.ts'

/** How runs are made. */
export interface Protocol {
  readonly seeds: number
  /** Milliseconds that a run may take. */
  readonly timeLimit: number
  /** Simplex gradients, d + 1 queries each, that a run may make; the problem's own budget if undefined or larger. */
  readonly budget?: number | undefined
}

/** Runs a method on some problems as often as there are seeds, and keeps a row of each; those that are there are skipped. */
export async function measure(
  solver: Solver,
  problems: readonly Problem[],
  protocol: Protocol,
  store: MinimizerRows,
): Promise<number> {
  let runs = 0
  for (const problem of problems) {
    if (problem.start.length > solver.largest) continue
    const { budget: own, start, noise, name, group } = problem
    const budget = Math.min(own, (protocol.budget ?? Infinity) * (start.length + 1))
    const seeds = solver.random || noise !== undefined ? protocol.seeds : 1
    for (let seed = 1; seed <= seeds; seed++) {
      if (store.has({ solver: solver.name, problem: name, group, seed, budget })) continue
      store.add(await measureOne(solver, { problem, budget, seed, timeLimit: protocol.timeLimit }))
      runs++
    }
  }
  return runs
}

/** One run, to its end or to its failure: both are results. */
export async function measureOne(
  solver: Solver,
  task: { readonly problem: Problem; readonly budget: number; readonly seed: number; readonly timeLimit: number },
): Promise<Row> {
  const { problem, budget, seed } = task
  const oracle = openOracle(problem, seed, budget)
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  const ending = await solver
    .run(task, oracle)
    .catch((error: unknown): Ending => ({ note: `failed: ${String(error)}` }))
  const took = performance.now() - began
  const busy = Math.min(1, processorTime(cpu) / took)
  const { inside, ...account } = oracle.account()
  return {
    solver: solver.name,
    own: solver.own,
    group: problem.group,
    problem: problem.name,
    dim: problem.start.length,
    noisy: problem.noise !== undefined,
    budget,
    whole: budget === problem.budget,
    seed,
    initial: problem.initial,
    lowest: problem.best,
    ...account,
    reported: ending.point === undefined ? account.seen : oracle.worth(ending.point),
    microseconds: Number(((1000 * (ending.own ?? busy * (took - inside))) / Math.max(1, account.queries)).toFixed(2)),
    note: ending.note,
  }
}

/** Milliseconds of processor time since then: on a machine with other work, the clock on the wall says too much. */
function processorTime(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}
