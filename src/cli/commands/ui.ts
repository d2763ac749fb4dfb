import { Command } from 'commander'
import { startServer } from '../../ui/server/start-server.ts'
import { runsFolder } from '../../work/folders.ts'
import { portNumber } from '../option-values.ts'
import { print } from '../output.ts'
import { checkFolder } from '../work-folder.ts'

const examples = `
Shows all runs, series, tunings and attacks of a folder in the browser, also
those that other processes perform: live curves, pictures of attacks as they
get done, comparisons. It can stop and resume them. Ctrl-C ends the page; what
was begun elsewhere continues.

It listens on this machine alone. With --host, other machines reach it: they
need the address with the token that is printed, and can change nothing unless
--allow-control says so.

Examples:
  $ zeroth ui                          the runs in zeroth-runs
  $ zeroth ui experiments --port 8080
  $ zeroth ui --host 0.0.0.0           for other machines: needs the token
  $ zeroth ui --public-url https://example.org/zeroth/   behind a proxy
  $ zeroth minimize problem.yaml --ui  one run, while it is performed`

interface Flags {
  readonly port?: number
  readonly host?: string
  readonly publicUrl?: string
  readonly allowControl?: boolean
  readonly json?: boolean
}

/** `zeroth ui`: a page in the browser that shows the works of a folder, live. */
export function command(): Command {
  return new Command()
    .argument('[folder]', 'a folder of runs, or a run', runsFolder)
    .option('-p, --port <n>', 'the port (default: 4920 or the next that is free)', portNumber)
    .option('--host <address>', 'listen at this address instead of 127.0.0.1; then everything needs the token')
    .option('--public-url <url>', 'the address of the page where a proxy is before it; the proxy says who may read')
    .option('--allow-control', 'let the page stop and resume works with --host or --public-url, too')
    .option('--no-allow-control', 'never let it')
    .option('--json', 'print where it is as one JSON object')
    .addHelpText('after', examples)
    .action(uiCommand)
}

async function uiCommand(folder: string, { json, ...flags }: Flags): Promise<void> {
  checkFolder(folder)
  const server = await startServer({ ...flags, folder, program: process.argv[1] ?? '' })
  if (json === true) print(JSON.stringify({ url: server.url, port: server.port }))
  else print(`${server.url}\nshows the works in ${folder}; Ctrl-C ends the page`)
  await new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => resolve())
  })
  await server.close()
}
