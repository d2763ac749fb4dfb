import type { Command } from 'commander'
import type { Work } from '../work/index.ts'
import { exitCodes } from './explain-error.ts'
import { interrupts } from './interrupts.ts'
import { liveLine } from './live-line.ts'
import { type PageBeside, type PageFlags, pageBeside } from './page-beside.ts'
import { plainText } from './terminal-text.ts'

/** How much a command says while it works. */
export interface WatchFlags extends PageFlags {
  readonly json?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly progress?: boolean
}

/** Adds the options that say how much a command tells. */
export function withWatchOptions(command: Command): Command {
  return command
    .optionsGroup('What is said:')
    .option('--json', 'print one JSON object on stdout, for programs')
    .option('-q, --quiet', 'say nothing but the result and errors')
    .option('-v, --verbose', 'a line of progress every two seconds, for logs')
    .option('--no-progress', 'no live line')
}

/** A line that changes. */
export interface Line {
  text(width?: number): string
  /** How much of what it is about is done, from 0 to 1, where that can be told. */
  share?(): number
}

/** What the terminal shows of a work: a live line, and what is worth saying; and Ctrl-C. */
export interface Watcher {
  readonly signal: AbortSignal
  /** Something worth knowing, unless nothing is to be said. */
  say(message: string): void
  /** Something that went wrong: always said. */
  warn(message: string): void
  /** Shows a line that changes, until the function that is returned is called. */
  display(line: Line): () => void
  /** The page in the browser, where one is wanted. */
  readonly page?: PageBeside | undefined
  close(): void
}

/** How progress is shown: one line that changes, a new line per interval, or not at all. */
export type WatchMode = 'live' | 'lines' | 'none'

/** Where progress is shown. */
export interface Screen {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  write(text: string): unknown
}

/** Milliseconds between two updates. */
const intervals = { live: 100, lines: 2000 } as const

const clearLine = '\r\x1b[K'

/** Watches on stderr: data belongs to stdout alone. */
export function watcher(flags: WatchFlags, screen: Screen = process.stderr): Watcher {
  const mode = modeOf(flags, screen.isTTY === true, process.env)
  let lineIsShown = false
  const clear = (): void => {
    if (lineIsShown) screen.write(clearLine)
    lineIsShown = false
  }
  const warn = (message: string): void => {
    clear()
    screen.write(`${message}\n`)
  }
  const say = (message: string): void => {
    if (flags.quiet !== true) warn(message)
  }
  const display = (line: Line): (() => void) => {
    if (mode === 'none') return () => undefined
    const show = (): void => {
      if (mode === 'lines') return void screen.write(`${line.text()}\n`)
      // The last column stays free: some terminals begin a new line when it is used.
      screen.write(`${clearLine}${line.text((screen.columns || 80) - 1)}`)
      lineIsShown = true
    }
    const timer = setInterval(show, intervals[mode])
    timer.unref()
    return () => {
      clearInterval(timer)
      clear()
    }
  }
  const { signal, close } = interrupts(say)
  const page = pageBeside(flags, { say: warn, signal, isTerminal: screen.isTTY === true })
  return { signal, say, warn, display, page, close }
}

/** Performs a work and shows what happens; returns when it has ended, or been saved after Ctrl-C, with what it found. */
export async function watchWork<Result>(work: Work<Result>, watching: Watcher): Promise<Result | undefined> {
  const line = liveLine()
  const hide = watching.display(line)
  try {
    watching.page?.announce()
    for await (const event of work.perform({ signal: watching.signal })) {
      line.take(event)
      watching.page?.take(event)
      if (event.type !== 'warning') continue
      const message = plainText(event.message)
      if (event.code === 'note') watching.say(message)
      else if (event.code === 'queue') watching.say(`queue: ${message}`)
      else if (event.code === 'model') watching.say(`warning: ${message}`)
      else watching.warn(`warning: ${message}`)
    }
    return work.result()
  } finally {
    hide()
    await work.close()
  }
}

/** Says how an interrupted work can be resumed; returns the exit code. */
export function sayInterrupted(folder: string, watching: Watcher): number {
  watching.say(`interrupted and saved: continue with zeroth resume ${folder}`)
  return exitCodes.interrupted
}

/** What is wanted, and what makes sense where it goes. */
export function modeOf(
  { quiet, verbose, progress, json }: WatchFlags,
  isTerminal: boolean,
  { CI = '', TERM }: Readonly<Partial<Record<string, string>>>,
): WatchMode {
  if (quiet === true) return 'none'
  if (verbose === true) return 'lines'
  const isLogged = !isTerminal || TERM === 'dumb' || !['', '0', 'false'].includes(CI)
  return progress === false || json === true || isLogged ? 'none' : 'live'
}
