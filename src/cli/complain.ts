import { CommanderError } from 'commander'
import { print } from './output.ts'

/** Says what went wrong in one line on stderr, for programs as one JSON object, too; returns the exit code. */
export async function complain(error: unknown, args: readonly string[], resume = 'zeroth resume'): Promise<number> {
  // Commander has printed its own message already, help and version included.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const { explainError } = await import('./explain-error.ts')
  const { message, code, exitCode, run } = explainError(error)
  const advice = run === undefined ? '' : `; ${resume} ${run} goes on`
  process.stderr.write(`zeroth: ${message}${advice}\n`)
  if (process.env.ZEROTH_DEBUG === '1') process.stderr.write(`${(error as Error)?.stack ?? ''}\n`)
  if (exitCode === 1 && args.includes('--json')) print(JSON.stringify({ status: 'failed', code, error: message, run }))
  return exitCode
}
