import type { AttackReport } from '../../src/robustness/index.ts'
import { methods, type ProblemName } from '../methods.ts'
import { betaCell, betaGrid, perImageCell } from '../reproduction/tables/cells.ts'
import type { Results } from '../reproduction/tables/experiment.ts'
import type { Plan } from '../reproduction/tables/plan.ts'
import { chosenRate, type RateProblem } from '../reproduction/tables/rates.ts'
import { universalAttacks } from '../reproduction/tables/table-2.ts'
import type { ClaimData } from './claims.ts'

/** The attacks that the claims are about, from saved results. */
export function claimData(plan: Plan, results: Results): ClaimData {
  const perImage = (problem: ProblemName) =>
    found(
      methods[problem].map(({ name }): [string, AttackReport | undefined] => {
        const rate = chosenRate(plan, results, problem, name)
        return [name, rate === undefined ? undefined : results.report(perImageCell(plan, problem, name, rate))]
      }),
    )
  const betas = (problem: RateProblem) => found(betaReports(plan, results, problem))
  return {
    perImage: { unconstrained: perImage('unconstrained'), constrained: perImage('constrained') },
    universal: found(
      universalAttacks(plan, results, 'universal').map(({ method, report }): [string, AttackReport | undefined] => [
        method.name,
        report,
      ]),
    ),
    betas: { unconstrained: betas('unconstrained'), constrained: betas('constrained'), universal: betas('universal') },
  }
}

/** The attacks of a heat map by their pair of betas. */
export function betaReports(plan: Plan, results: Results, problem: RateProblem): [string, AttackReport | undefined][] {
  const rate = chosenRate(plan, results, problem, 'zo-adamm')
  if (rate === undefined) return []
  return betaGrid.flatMap((beta1) =>
    betaGrid.map((beta2): [string, AttackReport | undefined] => [
      `${beta1} ${beta2}`,
      results.report(betaCell(plan, problem, rate, [beta1, beta2])),
    ]),
  )
}

function found(reports: readonly (readonly [string, AttackReport | undefined])[]): Map<string, AttackReport> {
  return new Map(reports.flatMap(([name, report]) => (report === undefined ? [] : [[name, report] as const])))
}
