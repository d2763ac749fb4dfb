import type { Budget } from '../core/types.ts'

/** What `auto` has to say once the start was asked twice. No value is named: that of a maximum would have the wrong sign. */
export function startWarnings(of: {
  dim: number
  budget: Budget
  population: number | undefined
  answers: readonly [number, number]
}): string[] {
  const { dim, budget, population = 1, answers } = of
  const said: string[] = []
  const [first, second] = answers
  // Terms of a finite sum differ as a matter of course.
  if (Math.abs(first - second) > 0 && population <= 1) {
    const advice =
      'if it should not be, fix its random numbers; if it is, the best answer is partly luck, and a larger maxQueries averages more of it out'
    said.push(`the objective is probably noisy: two answers at the start differ by ${spread(first, second)}; ${advice}`)
  }
  const { maxQueries = Infinity, isUsual } = budget
  if (maxQueries - beside < dim) {
    const queries = `${isUsual === true ? 'the usual ' : ''}maxQueries ${maxQueries}`
    const why = `${beside} go to the start and the last point, a gradient takes one per variable (${dim})`
    said.push(`${queries} is too small: ${why}; raise maxQueries to several times that`)
  }
  return said
}

/** Queries that every run takes: the start twice, and the last point. */
const beside = 3

/** A difference, and what share of the values it is. */
function spread(first: number, second: number): string {
  const difference = Math.abs(first - second)
  const share = (100 * difference) / Math.max(Math.abs(first), Math.abs(second))
  return `${Number(difference.toPrecision(2))} (${Number(share.toPrecision(2))} %)`
}
