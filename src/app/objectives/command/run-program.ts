import { callAfter, onAbort } from '../../../optimizer/core/async.ts'
import { messageOf } from '../../../optimizer/core/errors.ts'
import { detailsOf, startChild } from '../exec/child.ts'
import type { FailureDetails, Program } from '../exec/program.ts'
import type { Ran } from './measure.ts'

/** Runs a program once, with nothing on its standard input, and waits for its end. */
export async function runProgram(program: Program, signal: AbortSignal): Promise<Ran> {
  signal.throwIfAborted()
  const lines: string[] = []
  let bytes = 0
  let end: (ran: Ran) => void = () => undefined
  let fail: (what: string, details?: FailureDetails) => void = () => undefined
  const ended = new Promise<Ran>((resolve, reject) => {
    end = resolve
    fail = (what, details) => reject(program.failure(what, { stderrTail: child.stderrTail(), ...details }))
  })
  const tooMuch = (): void => fail(`wrote more than ${program.maxLineBytes} bytes`)
  const began = performance.now()
  const child = startChild(program, {
    line: (text) => {
      bytes += text.length + 1
      if (bytes > program.maxLineBytes) tooMuch()
      else lines.push(text)
    },
    tooLong: tooMuch,
    over(what, ending, code) {
      const seconds = (performance.now() - began) / 1000
      if (typeof code !== 'number') fail(what, detailsOf(ending))
      else end({ seconds, code, stdout: lines.join('\n'), stderr: child.stderrTail().join('\n') })
    },
  })
  child.finish()
  const timer = callAfter(program.timeout, () => fail(`did not end within ${program.timeout} ms`, { timedOut: true }))
  const unfollow = onAbort(signal, () => fail(`was stopped: ${messageOf(signal.reason)}`, { retryable: false }))
  try {
    return await ended
  } finally {
    clearTimeout(timer)
    unfollow()
    await child.stop()
  }
}

/** The error of a run that ended with another exit code than 0; undefined for one that ended well. */
export function failedRun(program: Program, { code, stderr }: Ran): Error | undefined {
  if (code === 0) return undefined
  return program.failure(`exited with code ${code}`, { stderrTail: stderr === '' ? [] : stderr.split('\n') })
}
