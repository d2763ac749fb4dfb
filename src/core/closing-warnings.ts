/** What a run that has ended knows about its values. */
export interface Closing {
  /** The value of the first iteration; NaN where it had none. */
  readonly first: number
  /** The lowest and the highest answer. */
  readonly best: number
  readonly worst: number
  /** The value of the point that the run ended with; NaN where it was not asked. */
  readonly last: number
  readonly iterations: number
  readonly queries: number
  readonly failures: number
  /** Whether the search ended because it had nothing more to do. */
  readonly converged: boolean
}

/** A run has diverged that loses this many times its first value, and this many times what it had gained. */
const farAbove = 100

/** Values that fall this far, and this many times as far as the first was, will not end at a minimum. */
const unbounded = 1e30

/** The share of failed queries from which on they may have kept a run from its minimum. */
const manyFailures = 0.25

/** Fewer answers than this say nothing about an objective. */
const fewAnswers = 4

/** What must be known of a noisy run that ended without asking its answer again. */
export const luckyValue = 'answers vary: the value is too good, by luck: use last.point'

/**
 * What a user should know about a run that came to nothing, and which option to try; nothing where all is well. No value
 * is named: that of a maximum would have the wrong sign.
 */
export function closingWarnings(closing: Closing): string[] {
  const { first, best, worst, last, iterations, queries, failures, converged } = closing
  if (queries > 0 && failures === queries) return ['every query failed']
  if (last - first > farAbove * Math.max(first - best, Math.abs(first) || 1)) {
    const advice = 'lower learningRate or try another solver'
    return [
      `the run diverged: its last value is worse than its first by ${Number((last - first).toPrecision(2))}; ${advice}`,
    ]
  }
  if (-best > unbounded && -best > unbounded * Math.abs(first)) {
    const advice = 'set bounds for the variables'
    return [`the objective seems to be unbounded: its values went beyond ${unbounded}; ${advice}`]
  }
  const answers = queries - failures
  if (answers < fewAnswers || iterations < 2) return []
  if (best === worst) {
    const advice = 'check that the objective depends on its variables, or set scale to their usual size'
    return [`all ${answers} answers were the same: ${advice}`]
  }
  if (converged && failures >= manyFailures * queries) {
    const advice = 'more maxQueries, or the solver cma-es, look further'
    return [`${failures} of ${queries} queries failed: the run may have ended where answers end; ${advice}`]
  }
  if (!(best >= first)) return []
  const advice = 'try another start or solver, more maxQueries, or scale, the usual size of variables'
  return [`no progress: no answer was better than the first; if the start is no minimum, ${advice}`]
}
