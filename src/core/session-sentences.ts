import { withSentences } from './sentences.ts'
import { sessionOptions } from './session-table.ts'

/** What the options of a session mean. Apart from their table, so that programs in browsers need not load it. */
export const sessionSentences = {
  solver: 'the method',
  set: 'where points may lie',
  variables: 'variables with names, bounds and scales of their own, from namedVariables; not together with set',
  seed: 'determines every random number of the run',
  precision: 'storage of points and state',
  maxQueries: 'answers asked of the objective at most',
  maxIterations: 'iterations at most',
  maxTime: 'milliseconds for the whole run at most',
  target: 'stop as soon as a point has this value or a better one',
  failures: 'what a failed query does',
  trackBest: 'ask the current point in each iteration, also where the estimate does not need it',
  shape: 'the size of the image whose pixels the variables are, channel by channel, for methods that look at it as one',
  attack: 'what is known of the attack that the run is: its limits, whether it is targeted, where it may begin',
  population: 'number of terms, for a finite sum',
  historySize: 'records kept besides the latest; longer runs are thinned',
  resume: 'continue from here',
  kernels: 'the implementation of the hot loops: WebAssembly where there is SIMD, or plain TypeScript',
  clock: 'a monotonic clock in milliseconds, for maxTime',
}

/** The options of a session with what each means, for docs, schemas and specs. */
export const describedSession = withSentences(sessionOptions, sessionSentences)
