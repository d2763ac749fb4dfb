import { Command } from 'commander'
import { shortNumber, textTable } from '../../report/index.ts'
import { listRuns, type RunSummary } from '../../trace/index.ts'
import { jsonSafe } from '../json-safe.ts'
import { runsFolder } from '../run-places.ts'

/** `zeroth list`: the runs of a folder, oldest first. */
export function command(): Command {
  return new Command()
    .argument('[folder]', 'where to look', runsFolder)
    .option('--json', 'print a JSON list')
    .addHelpText('after', '\nExample:\n  $ zeroth list')
    .action(async (folder: string, { json }: { json?: boolean }) => {
      const runs = await listRuns(folder)
      if (json === true) process.stdout.write(`${JSON.stringify(jsonSafe(runs))}\n`)
      else if (runs.length === 0) process.stderr.write(`no runs in ${folder}\n`)
      else process.stdout.write(`${textTable(runs, columns)}\n`)
    })
}

const columns = [
  { title: 'run', cell: (run: RunSummary) => run.folder },
  { title: 'status', cell: (run: RunSummary) => run.status },
  {
    title: 'queries',
    align: 'right' as const,
    cell: (run: RunSummary) => ('queries' in run ? String(run.queries) : ''),
  },
  { title: 'best', align: 'right' as const, cell: (run: RunSummary) => ('best' in run ? shortNumber(run.best) : '') },
  {
    title: 'began',
    cell: (run: RunSummary) => ('created' in run ? run.created.slice(0, 16).replace('T', ' ') : run.problem),
  },
]
