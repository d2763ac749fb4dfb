import { writeSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { visible } from './visible-text.ts'

/** A program that prints data to stdout alone, complains in one line, and throws where Commander would end the process. */
export function newProgram(name: string, hint = ''): Command {
  return new Command(name)
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureOutput({
      writeOut: (text) => output.write(text),
      getOutHelpWidth: () => output.columns ?? 80,
      outputError: (text, write) => write(`${visible(oneLine(text), process.stderr)}${hint}\n`),
    })
    .exitOverride()
}

function oneLine(text: string): string {
  if (/unknown option '--maximi[sz]e/.test(text)) {
    return 'zeroth: there is no --maximize: zeroth minimises; let the objective answer -f(x) to maximise f(x)'
  }
  return text
    .trim()
    .replace(/^error:/, 'zeroth:')
    .replace(/\s*\n\s*/g, ' ')
}

/** Says what went wrong in one line on stderr, for programs as one JSON object, too; returns the exit code. */
export async function complain(error: unknown, args: readonly string[], resume = 'zeroth resume'): Promise<number> {
  // Commander has printed its own message already, help and version included.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const { explainError } = await import('./terminal.ts')
  const { message, code, exitCode, run } = explainError(error)
  const advice = run === undefined ? '' : `; ${resume} ${run} continues it`
  tell(`zeroth: ${message}${advice}`)
  if (process.env.ZEROTH_DEBUG === '1') process.stderr.write(`${(error as Error)?.stack ?? ''}\n`)
  if (exitCode === 1 && args.includes('--json')) print(JSON.stringify({ status: 'failed', code, error: message, run }))
  return exitCode
}

/** Runs a command line as the whole of this process: whatever ends it, all is written and the exit code tells. */
export async function runProgram(run: (args: readonly string[]) => Promise<number>): Promise<void> {
  const args = process.argv.slice(2)
  let failure: Error | undefined
  guardOutput((error) => {
    failure ??= error
  })
  let isOver = false
  /** Ends the program once all is written, also where a user's module still keeps a connection or a timer. */
  const leave = async (code: number): Promise<void> => {
    await flushOutput()
    isOver = true
    process.exit(failure === undefined || code !== 0 ? code : await complain(failure, args))
  }
  // An error of a user's module that nothing awaits: what the run has recorded is safe. The first one ends it.
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

/** A user's module ended the program: there is only time for a line, and it must not pass for a success. */
function complainAtOnce(args: readonly string[]): void {
  const error = 'the program was ended from inside, by process.exit() of a module: what the run has recorded is safe'
  writeSync(2, `zeroth: ${error}\n`)
  if (args.includes('--json')) writeSync(1, `${JSON.stringify({ status: 'failed', code: 'ended', error })}\n`)
  process.exitCode = 1
}

/** stdout, reserved for data. */
export const output = process.stdout

/** Prints data for the caller. */
export function print(text: string): void {
  output.write(`${visible(text, output)}\n`)
}

/** Says something on stderr. */
export function tell(text: string): void {
  process.stderr.write(`${visible(text, process.stderr)}\n`)
}

/** Errors that only say that the reader is gone: a closed pipe, a terminal that is gone. */
const unread = ['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']

/**
 * Keeps stdout for data, and writing from ending the program. What a user's module prints goes to stderr, also from its
 * threads; a reader that left early is no error; a full disk is told.
 */
function guardOutput(onFailure: (error: Error) => void): void {
  process.stderr.on('error', () => undefined)
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (!unread.includes(error.code ?? '')) onFailure(error)
  })
  Object.defineProperty(process, 'stdout', { configurable: true, get: () => process.stderr })
}

/** Resolves when everything written so far has left the program, or never will. */
async function flushOutput(): Promise<void> {
  await Promise.all([output, process.stderr].map(flushed))
  // What went wrong is told in a later turn.
  await new Promise((resolve) => setImmediate(resolve))
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve()
  return new Promise((resolve) => {
    stream.once('error', () => resolve())
    stream.write('', () => resolve())
  })
}
