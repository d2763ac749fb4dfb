import type { Command } from 'commander'
import type { HistoryRecord } from '../index.ts'
import { interrupts } from './interrupts.ts'
import { type LiveLine, liveLine } from './live-line.ts'

/** How much a command says while it works. */
export interface WatchFlags {
  readonly json?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly progress?: boolean
}

/** Adds the options that say how much a command tells. */
export function withWatchOptions(command: Command): Command {
  return command
    .option('--json', 'print one JSON object on stdout, for programs')
    .option('-q, --quiet', 'say nothing but the result')
    .option('-v, --verbose', 'a line of progress every two seconds, for logs')
    .option('--no-progress', 'no live line')
}

/** Somebody looking at a run: the live line, what is worth saying, and Ctrl-C. */
export interface Watcher {
  readonly signal: AbortSignal
  say(message: string): void
  line(limits: { maxQueries?: number | undefined; maxIterations?: number | undefined; label?: string }): LiveLine
  close(): void
}

/** Watches on stderr: data belongs to stdout alone. */
export function watcher(flags: WatchFlags): Watcher {
  let open: LiveLine | undefined
  const say = (message: string): void => {
    open?.end()
    if (flags.quiet !== true) process.stderr.write(`${message}\n`)
  }
  const { signal, close } = interrupts(say)
  return {
    signal,
    say,
    line({ maxQueries, maxIterations, label }) {
      open = liveLine({
        screen: process.stderr,
        clock: () => performance.now(),
        maxQueries,
        maxIterations,
        mode: modeOf(flags),
        label,
      })
      return { show: (record: HistoryRecord) => open?.show(record), end: () => open?.end() }
    },
    close,
  }
}

function modeOf({ quiet, verbose, progress, json }: WatchFlags): 'live' | 'lines' | 'none' {
  if (quiet === true) return 'none'
  if (verbose === true) return 'lines'
  const wanted = progress !== false && json !== true && process.stderr.isTTY === true
  return wanted && process.env['CI'] === undefined ? 'live' : 'none'
}
