import type { ConvexSet } from '../core/types.ts'

/** Whether points are free, lie in a box, or in another convex set. */
export type SetKind = 'free' | 'box' | 'other'

/** Which kind of set this is. */
export function setKindOf(set: ConvexSet): SetKind {
  if (set.unbounded === true) return 'free'
  return set.bounds === undefined ? 'other' : 'box'
}

/** What the choice of a method depends on. */
export interface Situation {
  readonly dim: number
  /** Queries that the run may use. */
  readonly queries: number
  /** Whether two answers at the start differed. */
  readonly noisy: boolean
  readonly set: SetKind
  /** Whether the method at work has ended without a reason to believe in a minimum. */
  readonly doubtful?: boolean
  /** Whether answers are terms of a finite sum, one at a time. */
  readonly sum?: boolean
  /** Whether the run ends at the first minimum. */
  readonly once: boolean
  /** Whether no query was answered so far. */
  readonly lost?: boolean | undefined
}

/** A method, why it is the one, and at which number of queries of the run it gives way. */
export interface Choice {
  readonly method: Method
  readonly why: string
  readonly until: number
}

/** The methods that `auto` puts in a row. */
export type Method =
  | 'random'
  | 'bayesian'
  | 'probe'
  | 'block-descent'
  | 'quasi-newton'
  | 'noisy-descent'
  | 'restarts'
  | 'cma-es'

/** Up to so many queries and variables between bounds, models of all answers are worth their time. */
const fewQueries = 500
const fewVariables = 20

/** Beyond so many, models of variables of all kinds take longer than most objectives. */
const mixedVariables = 60

/**
 * The only method of a run that is not given to slopes: some variables have steps, choices or conditions, along which there are
 * none, or queries are so few that each of them is worth a choice. Undefined for all other runs.
 */
export function onlyChoice(of: { dim: number; queries: number; set: ConvexSet; sum?: boolean }): Choice | undefined {
  const { dim, queries, set, sum = false } = of
  if (set.space !== undefined) {
    const mixed = 'some variables have steps, choices or conditions'
    if (dim > mixedVariables) {
      return {
        method: 'random',
        why: `${mixed}, and there are more than ${mixedVariables}: points at random`,
        until: queries,
      }
    }
    return { method: 'bayesian', why: `${mixed}: models of all answers choose each query`, until: queries }
  }
  if (sum || dim > fewVariables || queries > fewQueries || !isBounded(set, dim)) return undefined
  const why = `up to ${fewQueries} queries and ${fewVariables} variables between bounds: models of all answers choose each query`
  return { method: 'bayesian', why, until: queries }
}

/** Whether every variable has two finite bounds, and some can move. */
function isBounded(set: ConvexSet, dim: number): boolean {
  if (setKindOf(set) !== 'box') return false
  const { lower, upper } = set.bounds?.(dim) ?? { lower: [], upper: [] }
  const width = (i: number): number =>
    (upper[upper.length === 1 ? 0 : i] ?? Infinity) - (lower[lower.length === 1 ? 0 : i] ?? 0)
  const widths = Array.from({ length: dim }, (_, i) => width(i))
  return widths.every(Number.isFinite) && widths.some((each) => each > 0)
}

/** Below this many queries per variable, not even a few gradients by differences are to be had. */
const fewPerVariable = 5

/** Up to this many variables, restarts of a local method are worth more than a population. */
const restartDim = 100

/** The first method of a run, once it is known whether answers vary. */
export function firstChoice({ dim, queries, noisy, set, once, sum = false }: Situation): Choice {
  if (sum) {
    const why = 'each iteration sees one term of a finite sum: a population that changes slowly averages them'
    return { method: 'cma-es', why, until: queries }
  }
  if (queries < fewPerVariable * dim) {
    const why = `${queries} queries are fewer than ${fewPerVariable} per variable: blocks of variables in turn`
    return { method: 'block-descent', why, until: queries }
  }
  if (noisy) {
    const why = 'noise detected: finite differences wide enough for it'
    return { method: 'noisy-descent', why, until: queries }
  }
  const isShared = !once && set !== 'other' && usesDense(dim, queries) && queries > 100 * (dim + 1)
  const why = `deterministic, and the budget allows finite-difference gradients`
  return { method: 'quasi-newton', why, until: isShared ? 0.6 * queries : queries }
}

/**
 * Whether no method is needed but those for exact and noisy answers in a box or without bounds, many queries and numbers between
 * two ends. A run that is resumed may have begun with less.
 */
export function isUsual(of: { dim: number; maxQueries: number; set: ConvexSet; resume: object | undefined }): boolean {
  const { dim, maxQueries, set, resume } = of
  const isPlain = setKindOf(set) !== 'other' && onlyChoice({ dim, queries: maxQueries, set }) === undefined
  return isPlain && maxQueries - 1 >= fewPerVariable * dim && resume === undefined
}

/** Whether the quasi-Newton method keeps a whole matrix: where it is small, or the budget can buy all its entries. */
export function usesDense(dim: number, queries: number): boolean {
  return dim <= 20 || (dim <= 100 && queries >= 2.5 * dim * (dim + 1))
}

/** What follows a method that has ended with `asked` queries; undefined where nothing is left worth doing. */
export function nextChoice(after: Method, situation: Situation, asked: number): Choice | undefined {
  const { dim, queries, set, once, lost = false, doubtful = false } = situation
  if (after === 'quasi-newton' && doubtful) {
    const why = 'finite differences are unreliable (rounded values?): a population only ranks values'
    return { method: 'cma-es', why, until: queries }
  }
  if (lost && after === 'block-descent') {
    return { method: 'cma-es', why: 'the start fails: a population looks around it', until: queries }
  }
  if (once && !lost) return undefined
  if (after === 'quasi-newton' && set !== 'other' && dim <= restartDim) {
    const why = lost
      ? 'the start fails: other starts are tried'
      : 'a minimum was found: other starts look for a lower one'
    const share = Number.isFinite(queries) ? 0.4 * (queries - asked) : 10 * asked
    return { method: 'restarts', why, until: asked + share }
  }
  if (after === 'quasi-newton' || after === 'restarts') {
    const why = 'local runs have had their share: a population looks further around'
    return { method: 'cma-es', why, until: queries }
  }
  return undefined
}

/** What `auto` would do: the methods in their order, where answers are exact and where they vary. */
export interface Explanation {
  readonly dim: number
  readonly queries: number
  readonly set: Situation['set']
  readonly exact: readonly Choice[]
  readonly noisy: readonly Choice[]
}

/** What `auto` would choose for a problem, and why, without asking it anything. `once`: it ends at the first minimum. */
export function explainAuto(of: {
  dim: number
  queries: number
  set: ConvexSet
  once?: boolean | undefined
}): Explanation {
  const { dim, queries, once = false } = of
  const set = setKindOf(of.set)
  const only = once && of.set.space === undefined ? undefined : onlyChoice(of)
  if (only !== undefined) {
    const choices = [only]
    return { dim, queries, set, exact: choices, noisy: choices }
  }
  const planned = (noisy: boolean): Choice[] => {
    const situation = { dim, queries: queries - 1, noisy, set, once }
    const choices = [firstChoice(situation)]
    for (let last = choices[0]; last !== undefined; ) {
      last = nextChoice(last.method, situation, Math.min(last.until, queries))
      if (last !== undefined) choices.push(last)
    }
    return choices
  }
  return { dim, queries, set, exact: planned(false), noisy: planned(true) }
}
