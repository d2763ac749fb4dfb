#!/usr/bin/env node
import { complain, runCommandLine } from './command-line.ts'
import { flushOutput, guardOutput } from './output.ts'

const args = process.argv.slice(2)
let failure: Error | undefined
guardOutput((error) => {
  failure ??= error
})
// An error of somebody's module that nobody waits for: what the run has recorded is safe. The first one ends it.
let isLost = false
process.on('uncaughtException', (error) => {
  if (!isLost) void complain(error, args).then(leave)
  isLost = true
})
leave(await runCommandLine(args))

/** Ends the program once all is written, also where somebody's module still keeps a connection or a timer. */
async function leave(code: number): Promise<void> {
  await flushOutput()
  process.exit(failure === undefined || code !== 0 ? code : await complain(failure, args))
}
