import { basename } from 'node:path'
import { Command } from 'commander'
import { repairRun } from '../../trace/index.ts'
import { runsOf } from '../../work/folders.ts'
import { print } from '../output.ts'

const examples = `
It never invents an answer: what a damaged file no longer says is asked again by
zeroth resume. Each file it changes is kept beside the new one, with .damaged
behind its name.

Example:
  $ zeroth repair problem-auto-7`

/** `zeroth repair`: mends a damaged run as far as its files allow; never invents an answer. */
export function command(): Command {
  return new Command()
    .argument('<run>', 'the folder of a run or of a series, or its name in zeroth-runs')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples)
    .action(async (given: string, { json }: { json?: boolean }) => {
      const folders = await runsOf(given)
      const done: string[] = []
      for (const folder of folders) {
        const name = folders.length > 1 ? `${basename(folder)}: ` : ''
        done.push(...(await repairRun(folder)).map((what) => `${name}${what}`))
      }
      if (json === true) print(JSON.stringify({ done }))
      else print(done.length === 0 ? 'nothing to repair' : done.join('\n'))
    })
}
