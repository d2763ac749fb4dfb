import type { RunResult } from '../trace/index.ts'
import { exitCodes } from './exit-codes.ts'
import { resultJson, resultText } from './print-result.ts'
import type { Watcher, WatchFlags } from './watch.ts'

/** Prints what a run came to and says what exit code it means. */
export function conclude(result: RunResult, folder: string, flags: WatchFlags, watching: Watcher): number {
  process.stdout.write(`${flags.json === true ? resultJson(result, folder) : resultText(result, folder)}\n`)
  const { code, message } = ending(result, folder)
  if (message !== undefined) watching.say(message)
  return code
}

/** The exit code of a run, and what else there is to say about its end. */
export function ending(result: RunResult, folder: string): { code: number; message?: string } {
  if (result.status === 'failed')
    return { code: exitCodes.failed, message: `zeroth: ${result.error ?? 'the run failed'}` }
  if (result.status === 'aborted') {
    return { code: exitCodes.interrupted, message: `interrupted and saved: zeroth resume ${folder} goes on` }
  }
  return { code: exitCodes.ok, message: `\nzeroth report ${folder} writes its page` }
}
