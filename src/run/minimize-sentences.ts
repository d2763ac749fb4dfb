import { withSentences } from '../core/sentences.ts'
import { sessionSentences } from '../core/session-sentences.ts'
import { minimizeOptions } from './minimize-table.ts'

/** The options of `minimize` with what each means, for docs. */
export const describedMinimize = withSentences(minimizeOptions, {
  ...sessionSentences,
  variables: 'variables by name, with bounds and a scale each; not together with set',
  batched: 'the objective takes a list of points and returns a list of numbers',
  batchSize: 'points per call of a batched objective at most',
  concurrency: 'calls of an asynchronous objective under way at once',
  timeout: 'milliseconds after which an asynchronous query counts as failed',
  signal: 'stops the run, which then returns what it has',
  onIteration: 'called after each iteration; return "stop" to end the run',
})
