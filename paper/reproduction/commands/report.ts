import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { print } from '../../../src/app/cli/program.ts'
import { drawReproduction } from '../draw-reproduction.ts'
import { existingReproduction } from '../reproduce-record.ts'

interface Flags {
  readonly out?: string
  readonly title?: string
  readonly json?: boolean
}

/** `npm run reproduce -- report`: the pages, tables and figures of a reproduction, drawn again from what is saved. */
export function report(): Command {
  return new Command('report')
    .description('write the pages, tables and figures from what is saved')
    .argument('<folder>', 'the folder of a reproduction')
    .option('-o, --out <folder>', 'where to write (default: the folder of the reproduction)')
    .option('--title <text>', 'the title of the page')
    .option('--json', 'print the names of the files as one JSON object')
    .action(async (folder: string, { out = folder, title, json }: Flags) => {
      const { files } = await drawReproduction(resolve(folder), existingReproduction(folder), { into: out, title })
      const paths = files.map((file) => join(out, file))
      print(json === true ? JSON.stringify({ files: paths.map((path) => resolve(path)) }) : String(paths[0]))
    })
}
