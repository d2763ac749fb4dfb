import { Command } from 'commander'
import { repairRun } from '../../trace/index.ts'
import { runPlace } from '../run-places.ts'

/** `zeroth repair`: mends a damaged run as far as its files allow; never invents an answer. */
export function command(): Command {
  return new Command()
    .argument('<run>', 'the folder of a run, or its name in zeroth-runs')
    .addHelpText('after', '\nExample:\n  $ zeroth repair zeroth-runs/problem-zo-adamm-7')
    .action(async (given: string) => {
      const done = await repairRun(runPlace(given))
      const lines = done.length === 0 ? ['nothing to repair'] : done
      process.stdout.write(`${lines.join('\n')}\n`)
    })
}
