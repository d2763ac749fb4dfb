import { Command } from 'commander'
import { readRun } from '../../trace/index.ts'
import { jsonSafe } from '../json-safe.ts'
import { resultText } from '../print-result.ts'
import { runPlace } from '../run-places.ts'

/** `zeroth show`: what a run is and how it stands. */
export function command(): Command {
  return new Command()
    .argument('<run>', 'the folder of a run, or its name in zeroth-runs')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  $ zeroth show zeroth-runs/problem-zo-adamm-7')
    .action(async (given: string, { json }: { json?: boolean }) => {
      const folder = runPlace(given)
      const { meta, status, result, trace, problems } = await readRun(folder)
      for (const problem of problems) process.stderr.write(`zeroth: ${problem}\n`)
      if (json === true) {
        process.stdout.write(`${JSON.stringify(jsonSafe({ run: folder, status, meta, result }))}\n`)
        return
      }
      const at = trace.iteration.length - 1
      const standing =
        result === undefined
          ? `iteration   ${trace.iteration[at] ?? 0}\nqueries     ${trace.queries[at] ?? 0}\nbest        ${trace.best[at] ?? 'none yet'}`
          : resultText(result, folder)
      const about = `status      ${status}\nbegan       ${meta.created} with zeroth ${meta.zeroth}`
      process.stdout.write(`${about}\n${standing}\n\n${JSON.stringify(meta.spec, null, 2)}\n`)
    })
}
