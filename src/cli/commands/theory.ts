import { Command } from 'commander'
import { print } from '../output.ts'

/** `zeroth theory`: the statements of the paper, tried out. */
export function command(): Command {
  return new Command()
    .option('--quick', 'less work per statement, in a few seconds')
    .option('--json', 'one line of JSON in place of the page')
    .addHelpText('after', '\nExit code: 0 all claims hold, 1 one failed.\n\nExample:\n  $ zeroth theory --quick')
    .action(async ({ quick, json }: { quick?: boolean; json?: boolean }) => {
      const { runTheory } = await import('../../../paper/theory/command.ts')
      const args = [...(quick === true ? ['--quick'] : []), ...(json === true ? ['--json'] : [])]
      process.exitCode = runTheory(args, {
        result: print,
        complaint: (line) => process.stderr.write(`${line}\n`),
      })
    })
}
