import type { Command } from 'commander'
import type { WorkEvent } from '../work/index.ts'
import { portNumber } from './option-values.ts'

/** Whether a page is wanted, and where. */
export interface PageFlags {
  readonly ui?: boolean
  readonly uiPort?: number
}

/** The page that shows a work while it is performed. */
export interface PageBeside {
  /** Begins to serve it, before the work is there: where its port is taken, nothing is left behind. */
  open(folder: string): Promise<void>
  /** Says where it is. */
  announce(): void
  take(event: WorkEvent): void
  /** Ends the page: in a terminal by Ctrl-C, in scripts at once. */
  stay(): Promise<void>
}

/** Who is told where the page is. */
interface Terminal {
  readonly say: (message: string) => void
  readonly isTerminal: boolean
  /** Ctrl-C while the work was performed. */
  readonly signal: AbortSignal
}

/** Adds the options of the page. */
export function withPageOptions(command: Command): Command {
  return command
    .optionsGroup('What is said:')
    .option('--ui', 'a page in the browser to watch it live; in a terminal it stays until Ctrl-C')
    .option('--ui-port <n>', 'the port of that page (default: 4920 or the next that is free)', portNumber)
}

/** The page of a command, where one is wanted. */
export function pageBeside({ ui, uiPort }: PageFlags, { say, isTerminal, signal }: Terminal): PageBeside | undefined {
  if (ui !== true && uiPort === undefined) return undefined
  let page: Awaited<ReturnType<typeof import('../ui/server/ui-beside.ts').startUiBeside>> | undefined
  return {
    async open(folder) {
      const { startUiBeside } = await import('../ui/server/ui-beside.ts')
      page = await startUiBeside(folder, { port: uiPort, program: process.argv[1] ?? '' })
    },
    announce: () => void (page && say(`page: ${page.pageUrl}`)),
    take: (event) => page?.take(event),
    async stay() {
      if (page === undefined) return
      if (isTerminal && !signal.aborted) {
        say(`\nthe page stays at ${page.pageUrl} until Ctrl-C`)
        await signalled()
      }
      await page.close()
    },
  }
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => resolve())
  })
}
