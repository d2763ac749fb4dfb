import { randomUniform } from '../../src/optimizer/kernels/random.ts'
import { boxMuller, textHash } from './data-random.ts'
import type { Problem } from './problem.ts'

/** Accuracies: a value counts as reached at best + tau (initial - best). */
export const accuracies = [1e-1, 1e-2, 1e-3, 1e-5, 1e-7] as const

/** Thrown at a solver that asks for more than it may have. */
export class OutOfBudget extends Error {}

/** What became of a run. */
export interface Account {
  readonly queries: number
  /** Queries outside the bounds, however little. */
  readonly outside: number
  /** The lowest true value of any query within the bounds. */
  readonly best: number
  /** The true value where the lowest answer was seen. */
  readonly seen: number
  /** For each accuracy the query that first reached it; undefined if none did. */
  readonly hits: readonly (number | undefined)[]
  /** The same for the point with the lowest answer so far: what a user would know of. */
  readonly seenHits: readonly (number | undefined)[]
  /** Milliseconds spent in queries. */
  readonly inside: number
}

/** Counts every query of one run, answers it, and remembers when which accuracy was reached. */
export interface Oracle {
  readonly query: (x: ArrayLike<number>) => number
  readonly account: () => Account
  /** The true value at a point that a solver reports: no query. A point outside the bounds is worth nothing. */
  readonly worth: (x: ArrayLike<number>) => number
}

/** Rounding that a bound forgives: such a point still counts as outside, but what it reaches is reached. */
const slack = 1e-12

/** Opens the oracle of one run. Noise is a function of the problem's name, the seed and the number of the query. */
export function openOracle(problem: Problem, seed: number, budget: number): Oracle {
  const { initial, best: lowest } = problem
  const targets = accuracies.map((tau) => lowest + tau * (initial - lowest))
  const noiseOf = noiseSource(problem, seed)
  const any = record(targets)
  const seen = record(targets)
  let [queries, outside, inside, lowestAnswer] = [0, 0, 0, Infinity]

  const query = (given: ArrayLike<number>): number => {
    if (queries >= budget) throw new OutOfBudget(`${problem.name}: more than ${budget} queries`)
    const began = performance.now()
    const x = vectorOf(given)
    queries++
    const value = problem.value(x)
    const beyond = excess(problem, x)
    if (beyond > 0) outside++
    const answer = value + noiseOf(queries, value)
    if (beyond <= slack) {
      if (value < any.value()) any.reach(value, queries)
      if (answer < lowestAnswer) {
        lowestAnswer = answer
        seen.reach(value, queries)
      }
    }
    inside += performance.now() - began
    return answer
  }
  return {
    query,
    worth: (x) => (excess(problem, vectorOf(x)) <= slack ? problem.value(vectorOf(x)) : Infinity),
    account: () => ({
      queries,
      outside,
      best: any.value(),
      seen: seen.value(),
      hits: any.hits,
      seenHits: seen.hits,
      inside,
    }),
  }
}

/** A value, and when it first passed each target. */
function record(targets: readonly number[]) {
  const hits: (number | undefined)[] = targets.map(() => undefined)
  let value = Infinity
  return {
    hits,
    value: () => value,
    reach(reached: number, query: number): void {
      value = reached
      for (let i = 0; i < targets.length; i++) if (reached <= (targets[i] as number)) hits[i] ??= query
    },
  }
}

function vectorOf(x: ArrayLike<number>): Float64Array {
  return x instanceof Float64Array ? x : Float64Array.from(x)
}

/** How far a point lies outside the bounds, 0 if it does not. */
function excess({ box }: Problem, x: Float64Array): number {
  if (box === undefined) return 0
  let most = 0
  for (let i = 0; i < x.length; i++) {
    most = Math.max(most, (box.lower[i] as number) - (x[i] as number), (x[i] as number) - (box.upper[i] as number))
  }
  return most
}

function noiseSource({ name, noise }: Problem, seed: number): (query: number, value: number) => number {
  if (noise === undefined) return () => 0
  const row = textHash(name)
  const { kind, level } = noise
  return (query, value) => {
    const at = { seed, iteration: query, row }
    const normal = boxMuller(randomUniform(at, 'noise', 0), randomUniform(at, 'noise', 1))
    return level * normal * (kind === 'multiplicative' ? value : 1)
  }
}
