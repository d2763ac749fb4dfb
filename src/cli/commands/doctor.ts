import { Command } from 'commander'
import { checkMachine, type Finding } from '../checkups.ts'
import { exitCodes } from '../exit-codes.ts'

const marks: Readonly<Record<Finding['state'], string>> = { ok: 'ok  ', missing: '-   ', bad: 'BAD ' }

/** `zeroth doctor`: what works on this machine, and what to do about what does not. */
export function command(): Command {
  return new Command()
    .option('--json', 'print a JSON list')
    .addHelpText('after', '\nExit code: 1 where something zeroth needs does not work.\n\nExample:\n  $ zeroth doctor')
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await checkMachine()
      const lines = findings.map(({ state, what, detail }) => `${marks[state]} ${what.padEnd(26)} ${detail}`)
      process.stdout.write(`${json === true ? JSON.stringify(findings) : lines.join('\n')}\n`)
      if (findings.some(({ state }) => state === 'bad')) process.exitCode = exitCodes.failed
    })
}
