import { Command } from 'commander'
import { runsFolder } from '../../jobs/folders.ts'
import { startServer } from '../../ui/server/start-server.ts'
import { portNumber } from '../option-values.ts'
import { checkFolder } from '../place-job.ts'
import { print } from '../program.ts'

const examples = `
Shows all runs, series, tunings and attacks of a folder in the browser, also
those that other processes perform: live curves, adversarial images as they
are found, comparisons. It can stop and resume them. Ctrl-C ends the page; what
was begun elsewhere continues.

Only the address that is printed, with its token, opens the page: others who use
this machine get nothing. ZEROTH_UI_TOKEN sets the token; otherwise each start
has a new one. With --host, other machines reach it, by that address, too: they
can change nothing unless --allow-control says so.

Examples:
  $ zeroth ui                          the runs in zeroth-runs
  $ zeroth ui experiments --port 8080
  $ zeroth ui --host 0.0.0.0           for other machines
  $ zeroth ui --public-url https://example.org/zeroth/   behind a proxy
  $ zeroth minimize problem.yaml --ui  one run, while it is performed`

interface Flags {
  readonly port?: number
  readonly host?: string
  readonly publicUrl?: string
  readonly allowControl?: boolean
  readonly json?: boolean
}

/** `zeroth ui`: a page in the browser that shows the jobs of a folder, live. */
export function uiCommand(): Command {
  return new Command()
    .argument('[folder]', 'a folder of runs, or a run', runsFolder)
    .option('-p, --port <n>', 'the port (default: 4920 or the next that is free)', portNumber)
    .option('--host <address>', 'listen at this address instead of 127.0.0.1, so that other machines reach it')
    .option('--public-url <url>', 'the address of the page if a proxy is before it')
    .option('--allow-control', 'allow stop/resume from the page even with --host or --public-url')
    .option('--no-allow-control', 'never let it')
    .option('--json', 'print where it is as one JSON object')
    .addHelpText('after', examples)
    .action(performUi)
}

async function performUi(folder: string, { json, ...flags }: Flags): Promise<void> {
  checkFolder(folder)
  const token = process.env.ZEROTH_UI_TOKEN
  const server = await startServer({ ...flags, folder, token, program: process.argv[1] ?? '' })
  if (json === true) print(JSON.stringify({ url: server.url, port: server.port, token: server.token }))
  else print(`${server.url}\nshows the works in ${folder}; Ctrl-C ends the page`)
  await new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => resolve())
  })
  await server.close()
}
