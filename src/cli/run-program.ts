import { writeSync } from 'node:fs'
import { complain } from './complain.ts'
import { flushOutput, guardOutput } from './output.ts'

/** Runs a command line as the whole of this process: whatever ends it, all is written and the exit code tells. */
export async function runProgram(run: (args: readonly string[]) => Promise<number>): Promise<void> {
  const args = process.argv.slice(2)
  let failure: Error | undefined
  guardOutput((error) => {
    failure ??= error
  })
  let isOver = false
  /** Ends the program once all is written, also where somebody's module still keeps a connection or a timer. */
  const leave = async (code: number): Promise<void> => {
    await flushOutput()
    isOver = true
    process.exit(failure === undefined || code !== 0 ? code : await complain(failure, args))
  }
  // An error of somebody's module that nobody waits for: what the run has recorded is safe. The first one ends it.
  let isLost = false
  process.on('uncaughtException', (error) => {
    if (!isLost) void complain(error, args).then(leave)
    isLost = true
  })
  process.on('exit', (code) => {
    // Above 128 it was a signal: a second Ctrl-C, which has been told what it does.
    if (!isOver && code <= 128) complainAtOnce(args)
  })
  // An objective whose promise is never kept must hang, where Ctrl-C saves the run, not end the program without a word.
  setInterval(() => undefined, 60_000)
  await leave(await run(args))
}

/** Somebody else ended the program: there is no time left but for a line, and it must not pass for a success. */
function complainAtOnce(args: readonly string[]): void {
  const error = 'the program was ended from inside, by process.exit() of a module: what the run has recorded is safe'
  writeSync(2, `zeroth: ${error}\n`)
  if (args.includes('--json')) writeSync(1, `${JSON.stringify({ status: 'failed', code: 'ended', error })}\n`)
  process.exitCode = 1
}
