import type { RunResult } from '../trace/index.ts'
import { exitCodes } from './exit-codes.ts'
import { print } from './output.ts'
import { plainReason } from './plain-text.ts'
import { resultJson, resultText } from './print-result.ts'
import type { Watcher, WatchFlags } from './watch.ts'

/** Prints what a run came to and says what exit code it means. */
export function conclude(result: RunResult, folder: string, flags: WatchFlags, watching: Watcher): number {
  print(flags.json === true ? resultJson(result, folder) : resultText(result, folder))
  const code = sayEnding(result, folder, watching)
  if (code === exitCodes.ok && flags.json !== true) watching.say(`\nzeroth report ${folder} writes its page`)
  return code
}

/** Says what there is to say about how a run ended beside its result; returns the exit code. */
export function sayEnding(result: RunResult, folder: string, watching: Watcher): number {
  const { status, error = 'the run failed' } = result
  if (status === 'failed') watching.warn(`zeroth: ${plainReason(error)}; zeroth resume ${folder} asks again`)
  if (status === 'aborted') watching.say(`interrupted and saved: zeroth resume ${folder} goes on`)
  return { failed: exitCodes.failed, aborted: exitCodes.interrupted, finished: exitCodes.ok }[status]
}
