import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { print } from '../../../src/app/cli/program.ts'
import { type Column, textTable } from '../../../src/app/report/table.ts'
import { ZerothError } from '../../../src/index.ts'
import { jsonSafe } from '../../../src/optimizer/core/exact-json.ts'
import { type ListedReproduction, listReproductions } from '../listed-reproduction.ts'

/** `npm run reproduce -- list`: the reproductions of a folder, oldest first. */
export function list(): Command {
  return new Command('list')
    .description('list the reproductions in a folder')
    .argument('[folder]', 'where to look', '.')
    .option('--json', 'print one JSON object')
    .action((folder: string, { json }: { json?: boolean }) => {
      if (!existsSync(folder)) throw new ZerothError('invalid-option', `there is no folder ${folder}`)
      const reproductions = listReproductions(folder)
      if (json === true) print(JSON.stringify(jsonSafe({ folder: resolve(folder), reproductions })))
      else if (reproductions.length === 0) process.stderr.write(`no reproductions in ${folder}\n`)
      else print(textTable(reproductions, columns))
    })
}

const columns: readonly Column<ListedReproduction>[] = [
  { title: 'reproduction', cell: ({ run }) => run },
  { title: 'status', cell: ({ status, problem }) => problem ?? status },
  { title: 'began (UTC)', cell: ({ created }) => created?.slice(0, 16).replace('T', ' ') ?? '' },
]
