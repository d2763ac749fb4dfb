import { Command } from 'commander'
import { checkMachine } from '../checkups.ts'
import { exitCodes } from '../exit-codes.ts'
import { output, print } from '../output.ts'
import { paint } from '../paint.ts'

const examples = `
What is only missing (-) some uses need and others do not. The exit code is 1
where something is BAD that all of zeroth needs.

Example:
  $ zeroth doctor`

/** `zeroth doctor`: what works on this machine, and what to do about what does not. */
export function command(): Command {
  return new Command()
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples)
    .action(async ({ json }: { json?: boolean }) => {
      const checks = await checkMachine()
      const ok = checks.every(({ state }) => state !== 'bad')
      const { green, yellow, red } = paint(output)
      const marks = { ok: green('ok  '), missing: yellow('-   '), bad: red('BAD ') }
      const lines = checks.map(({ state, what, detail }) => `${marks[state]} ${what.padEnd(26)} ${detail}`)
      print(json === true ? JSON.stringify({ ok, checks }) : lines.join('\n'))
      if (!ok) process.exitCode = exitCodes.failed
    })
}
