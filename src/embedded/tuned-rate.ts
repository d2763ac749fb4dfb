import { checkedWord } from './checked-word.ts'
import { type EmbeddedName, embeddedNames } from './embedded-names.ts'
import { attackProblems, type ProblemName, rateIn, readRates } from './rates-file.ts'

/** The learning rate that was tuned for attacks on an embedded classifier; undefined for a solver without one. */
export function tunedRate(name: EmbeddedName, problem: ProblemName, solver: string): number | undefined {
  const rates = readRates(checkedWord('the embedded model', name, embeddedNames))
  return rateIn(rates[checkedWord('the problem', problem, attackProblems)], solver)
}
