import { dataNormals, dataOrder } from './data-random.ts'
import { logistic } from './logistic.ts'
import { type Problem, problem } from './problem.ts'

/** Queries per variable: few, as it is with many variables. */
function budgetOf(dim: number): number {
  return dim < 10_000 ? 20 * dim : 5 * dim
}

/** Three problems of 100, 1,000 or 10,000 variables. */
export function large(dim: number): Problem[] {
  const common = { group: `large-${dim}`, budget: budgetOf(dim) }
  return [
    problem({ ...common, name: `ellipsoid1e4-${dim}`, start: new Float64Array(dim), ...ellipsoid(dim) }),
    problem({
      ...common,
      name: `rosenbrock-${dim}`,
      start: Float64Array.from({ length: dim }, (_, i) => (i % 2 === 0 ? -1.2 : 1)),
      value: rosenbrock,
      best: 0,
    }),
    problem({ ...common, name: `logistic-${dim}`, start: new Float64Array(dim), ...logistic(dim) }),
  ]
}

/** Separable, of condition 1e4, its weights in random order around a normal centre. */
function ellipsoid(dim: number): Pick<Problem, 'value' | 'best'> {
  const center = dataNormals('ellipsoid centre', dim, dim)
  const weights = dataOrder('ellipsoid weights', dim, dim).map((k) => 10 ** ((4 * k) / (dim - 1)))
  const value = (x: Float64Array): number => {
    let total = 0
    for (let i = 0; i < dim; i++) total += (weights[i] as number) * ((x[i] as number) - (center[i] as number)) ** 2
    return total
  }
  return { value, best: 0 }
}

function rosenbrock(x: Float64Array): number {
  let total = 0
  for (let i = 0; i + 1 < x.length; i++) {
    const a = x[i] as number
    total += 100 * ((x[i + 1] as number) - a * a) ** 2 + (1 - a) ** 2
  }
  return total
}
