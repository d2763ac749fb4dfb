import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { jsonSafe } from '../../core/json-safe.ts'
import { ZerothError } from '../../index.ts'
import { type Column, textTable } from '../../report/table.ts'
import { runsFolder } from '../../work/folders.ts'
import { listWorks } from '../../work/index.ts'
import { print } from '../output.ts'
import { plainText } from '../plain-text.ts'
import { type ListedRun, listedRun, runColumns } from '../run-columns.ts'

const examples = `
Examples:
  $ zeroth list
  $ zeroth list elsewhere --json`

/** `zeroth list`: the runs and series of a folder, oldest first. */
export function command(): Command {
  return new Command()
    .argument('[folder]', 'where to look', runsFolder)
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples)
    .action(async (folder: string, { json }: { json?: boolean }) => {
      if (folder !== runsFolder && !existsSync(folder)) {
        throw new ZerothError('invalid-option', `there is no folder ${folder}`)
      }
      const runs = (await listWorks(folder)).map(listedRun)
      if (json === true) print(JSON.stringify(jsonSafe({ folder: resolve(folder), runs })))
      else if (runs.length === 0) process.stderr.write(`no runs in ${folder}\n`)
      else
        print(
          textTable(
            runs,
            columns.filter(({ cell }) => runs.some((run) => cell(run) !== '')),
          ),
        )
    })
}

const columns: readonly Column<ListedRun>[] = [
  ...runColumns,
  { title: 'began (UTC)', cell: ({ created }) => created?.slice(0, 16).replace('T', ' ') ?? '' },
  { title: '', cell: ({ problem, kind }) => (problem && plainText(problem)) ?? (kind === 'run' ? '' : kind) },
]
