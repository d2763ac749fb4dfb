import type { Command } from 'commander'
import picocolors from 'picocolors'
import { type ErrorCode, ZerothError } from '../../index.ts'
import type { Budget, Job, JobEvent, JobKind, Progress } from '../jobs/index.ts'
import { countText, percentText, variableValue } from '../report/number-text.ts'
import { lockWaits } from '../store/index.ts'
import { portNumber } from './option-values.ts'
import { hasColours, visible } from './visible-text.ts'

/** A text for one line of a terminal: no line breaks, and nothing that a terminal would obey instead of showing it. */
export function plainText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get through.
  const escapes = /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-Z\\-_]/g
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the same.
  const invisible = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g
  return text.replace(escapes, '').replace(invisible, ' ').trim()
}

/** Why a query or a run failed, without the name of our error class, which says nothing to people. */
export function plainReason(reason: string): string {
  return plainText(reason).replaceAll('ZerothError: ', '')
}

/** Colours for a stream: none if it is no terminal, or NO_COLOR asks for none. */
export function paint(
  stream: { readonly isTTY?: boolean | undefined },
  env: Readonly<Partial<Record<string, string>>> = process.env,
): ReturnType<typeof picocolors.createColors> {
  return picocolors.createColors(hasColours(stream, env))
}

/** A time as people say it: 25 ms, 0.4 s, 3 min 20 s, 2 h 5 min. */
export function millisecondsText(milliseconds: number): string {
  if (milliseconds < 95) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 9950) return `${Number((milliseconds / 1000).toFixed(1))} s`
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3570) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** A fraction in percent; what only rounds to all or to nothing is not said to be it. */
export function percent(fraction: number): string {
  return percentText(fraction).replaceAll('\u00a0', ' ')
}

/** What an error means to the caller. */
export interface Explanation {
  /** One line. */
  readonly message: string
  readonly code: ErrorCode | 'system' | 'internal'
  readonly exitCode: number
  /** The folder of the run that it ended, where one was under way. */
  readonly run?: string | undefined
}

/** Explains any error: one of ours, one of the system (no space, no permission), or a mistake in zeroth itself. */
export function explainError(error: unknown): Explanation {
  const { run } = (typeof error === 'object' && error !== null ? error : {}) as { readonly run?: string }
  if (error instanceof ZerothError) {
    const { code, message } = error
    return { message: plainReason(message), code, exitCode: exitCodeOf(code), run }
  }
  const message = plainText(error instanceof Error ? error.message : String(error))
  if (isSystemError(error)) return { message, code: 'system', exitCode: exitCodes.failed, run }
  const advice = 'a mistake in zeroth or in a module of yours: with ZEROTH_DEBUG=1 it says where'
  return { message: `${message} (${advice})`, code: 'internal', exitCode: exitCodes.failed, run }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

/** What the exit code of `zeroth` means. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, belowThreshold: 3, interrupted: 130 } as const

/** Mistakes of the caller, as opposed to runs that went wrong. */
const usageErrors: readonly ErrorCode[] = [
  'invalid-option',
  'unknown-option',
  'invalid-start',
  'invalid-set',
  'invalid-data',
  'invalid-model',
]

/** The exit code for an error of the library. */
function exitCodeOf(code: ErrorCode): number {
  return usageErrors.includes(code) ? exitCodes.usage : exitCodes.failed
}

/** Turns Ctrl-C into an orderly stop. */
interface Interrupts {
  readonly signal: AbortSignal
  /** Lets the signals do what they did before. */
  close(): void
}

/** Where signals come from and what ends the program; for tests. */
interface SignalSource {
  on(name: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown
  off(name: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown
  exit(code: number): void
}

/** The exit codes of a program that these signals end; a closed terminal counts as Ctrl-C. */
const signalCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Milliseconds in which a stopped run must have ended. It may be ended at any time: all it was told is recorded. */
const saveTimeout = 4500

/** The first signal stops the run, which is then saved; the second one ends the program at once. */
export function interrupts(say: (message: string) => void, source: SignalSource = process): Interrupts {
  const controller = new AbortController()
  let overdue: NodeJS.Timeout | undefined
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) return source.exit(signalCodes[name as keyof typeof signalCodes])
    overdue = setTimeout(() => source.exit(130), saveTimeout)
    overdue.unref()
    say('interrupted: saving (Ctrl-C again to quit now)')
    controller.abort(new Error(`stopped by ${name}`))
  }
  const names = Object.keys(signalCodes) as (keyof typeof signalCodes)[]
  for (const name of names) source.on(name, onSignal)
  return {
    signal: controller.signal,
    close() {
      clearTimeout(overdue)
      for (const name of names) source.off(name, onSignal)
    },
  }
}

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
    .optionsGroup('Output:')
    .option('--json', 'print one JSON object on stdout, for programs')
    .option('-q, --quiet', 'say nothing but the result and errors')
    .option('-v, --verbose', 'a line of progress every two seconds, for logs')
    .option('--no-progress', 'no live line')
}

/** A line that changes. */
interface Line {
  text(width?: number): string
  /** How much of what it is about is done, from 0 to 1, where that can be told. */
  share?(): number
}

/** Terminal UI of a command: status line, messages, Ctrl-C. */
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
type WatchMode = 'live' | 'lines' | 'none'

/** Where progress is shown. */
interface Screen {
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
    screen.write(`${visible(message, screen)}\n`)
  }
  const say = (message: string): void => {
    if (flags.quiet !== true) warn(message)
  }
  const display = (line: Line): (() => void) => {
    if (mode === 'none') return () => undefined
    const show = (): void => {
      if (mode === 'lines') return void screen.write(`${visible(line.text(), screen)}\n`)
      // The last column stays free: some terminals begin a new line when it is used.
      screen.write(`${clearLine}${visible(line.text((screen.columns || 80) - 1), screen)}`)
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
  const waiting = (waits: unknown): void => say((waits as { readonly message: string }).message)
  lockWaits.subscribe(waiting)
  const page = pageBeside(flags, { say: warn, signal, isTerminal: screen.isTTY === true })
  return {
    ...{ signal, say, warn, display, page },
    close() {
      lockWaits.unsubscribe(waiting)
      close()
    },
  }
}

/** Performs a job and shows what happens; returns when it has ended, or been saved after Ctrl-C, with what it found. */
export async function watchJob<Result>(job: Job<Result>, watching: Watcher): Promise<Result | undefined> {
  const line = liveLine()
  const hide = watching.display(line)
  try {
    watching.page?.announce()
    for await (const event of job.perform({ signal: watching.signal })) {
      line.take(event)
      watching.page?.take(event)
      if (event.type !== 'warning') continue
      const message = plainText(event.message)
      if (event.code === 'note') watching.say(message)
      else if (event.code === 'queue') watching.say(`queue: ${message}`)
      else if (event.code === 'model') watching.say(`warning: ${message}`)
      else watching.warn(`warning: ${message}`)
    }
    return job.result()
  } finally {
    hide()
    await job.close()
  }
}

/** Says how an interrupted job can be resumed; returns the exit code. */
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

/** The line about a job, from its events: that of the member that was begun last, where it has members. */
interface LiveLine {
  take(event: JobEvent): void
  /** Iteration, queries, best value, queries per second and the time left, in so many characters at most. */
  text(width?: number): string
  /** How much of the job is done, from 0 to 1; 0 where that cannot be told. */
  share(): number
}

/** The job that the line is about. */
interface Shown {
  readonly work: string
  readonly kind: JobKind
  readonly label: string
  readonly budget: Budget
  readonly began: number
  progress?: Progress
  /** When it was told. */
  at?: number
}

/** Follows the events of a job and says how far it is. The clock is a monotonic one in milliseconds. */
export function liveLine(clock: () => number = () => performance.now()): LiveLine {
  let shown: Shown | undefined
  const fields = (): Field[] => {
    if (shown === undefined) return []
    if (shown.progress !== undefined) {
      const { kind, progress, budget } = shown
      return [...waitingFields(shown, clock()), ...progressFields[kind](progress, budget), ...queueFields(progress)]
    }
    return [{ text: `waiting for the first answers  ${millisecondsText(clock() - shown.began)}`, weight: 6 }]
  }
  return {
    take(event) {
      if (event.type === 'started') {
        const { work, kind, title = '', budget } = event
        shown = { work, kind, label: title, budget, began: clock() }
      }
      if (event.type === 'progress' && event.work === shown?.work)
        Object.assign(shown, { progress: event, at: clock() })
    },
    text: (width = Infinity) => fitted([{ text: shown?.label ?? '', weight: 1 }, ...fields()], width),
    share: () => shown?.progress?.share ?? 0,
  }
}

/** What matters most while a model does not answer. */
function waitingFields({ progress, at = 0 }: Shown, now: number): Field[] {
  if (progress?.waiting === undefined) return []
  const waited = millisecondsText(progress.waiting + now - at)
  return [{ text: `the model does not answer: waiting (${waited})`, weight: 7 }]
}

/** What is said about each kind of job. */
const progressFields: Readonly<Record<JobKind, (progress: Progress, budget: Budget) => Field[]>> = {
  run: ({ iterations, queries, best = Number.NaN, variables = {}, rate, left }, { maxQueries }) => [
    { text: `iteration ${countText(iterations)}`, weight: 2 },
    { text: `queries ${countText(queries)}${limitText(maxQueries)}`, weight: 5 },
    { text: `best ${Number.isNaN(best) ? '-' : best.toPrecision(6)}`, weight: 6 },
    ...Object.entries(variables).map(([name, value]) => ({
      text: `${name} ${variableValue(value, (each) => each.toPrecision(4))}`,
      weight: 1,
    })),
    { text: rate > 0 ? `${perSecond(rate)} queries/s` : '', weight: 3 },
    { text: left === undefined ? '' : `${millisecondsText(left)} left`, weight: 4 },
  ],
  series: itemFields,
  tuning: itemFields,
  evaluation: ({ phase, iterations, items = { done: 0, total: 0 }, rate, left }) => {
    if (phase === 'screening') return [{ text: `screening images: ${countText(items.done)}`, weight: 6 }]
    const [done, total, fooled] = [items.done, items.total, items.fooled ?? 0].map(countText)
    const isShared = phase === 'universal'
    return [
      { text: isShared ? `iteration ${countText(iterations)}` : `images ${done} of ${total}`, weight: 6 },
      { text: `fooled ${fooled}${isShared ? ` of ${total}` : ''}`, weight: 5 },
      { text: rate > 0 ? `${perSecond(rate)} queries/s` : '', weight: 3 },
      { text: left === undefined ? '' : `at most ${millisecondsText(left)} left`, weight: 4 },
    ]
  },
}

/** Who works on it elsewhere. */
function queueFields({ queue }: Progress): Field[] {
  if (queue === undefined) return []
  const [workers, waiting, active, failed] = [queue.workers, queue.waiting, queue.active, queue.failed].map(countText)
  const jobs = `${waiting} waiting, ${active} active${queue.failed === 0 ? '' : `, ${failed} failed`}`
  return [{ text: `${workers} ${queue.workers === 1 ? 'worker' : 'workers'}: ${jobs}`, weight: 3 }]
}

function itemFields({ items = { done: 0, total: 0 } }: Progress): Field[] {
  return [{ text: `${countText(items.done)} of ${countText(items.total)} done`, weight: 6 }]
}

/** A part of a line. */
interface Field {
  readonly text: string
  /** Where there is no room the lightest goes first. */
  readonly weight: number
}

/** The fields that fit side by side; the last one that is left is cut. */
export function fitted(fields: readonly Field[], width: number): string {
  let shown = fields.filter(({ text }) => text !== '')
  const line = (): string => shown.map(({ text }) => text).join('  ')
  while (line().length > width && shown.length > 1) {
    const lightest = Math.min(...shown.map(({ weight }) => weight))
    shown = shown.filter(({ weight }) => weight !== lightest)
  }
  return line().slice(0, width)
}

function limitText(maxQueries: number | undefined): string {
  return maxQueries === undefined ? '' : ` of ${countText(maxQueries)}`
}

/** A rate as people read it. */
function perSecond(rate: number): string {
  return rate >= 100 ? countText(Math.round(rate)) : String(Number(rate.toPrecision(2)))
}

/** Whether a page is wanted, and where. */
export interface PageFlags {
  readonly ui?: boolean
  readonly uiPort?: number
}

/** The page that shows a job while it is performed. */
export interface PageBeside {
  /** Begins to serve it, before the job is there: where its port is taken, nothing is left behind. */
  open(folder: string): Promise<void>
  /** Says where it is. */
  announce(): void
  take(event: JobEvent): void
  /** Ends the page: in a terminal by Ctrl-C, in scripts at once. */
  stay(): Promise<void>
}

/** Who is told where the page is. */
interface Terminal {
  readonly say: (message: string) => void
  readonly isTerminal: boolean
  /** Ctrl-C while the job was performed. */
  readonly signal: AbortSignal
}

/** Adds the options of the page. */
export function withPageOptions(command: Command): Command {
  return command
    .optionsGroup('Output:')
    .option('--ui', 'a page in the browser to watch it live; in a terminal it stays until Ctrl-C')
    .option('--ui-port <n>', 'the port of that page (default: 4920 or the next that is free)', portNumber)
}

/** The page of a command, where one is wanted. */
function pageBeside({ ui, uiPort }: PageFlags, { say, isTerminal, signal }: Terminal): PageBeside | undefined {
  if (ui !== true && uiPort === undefined) return undefined
  let page: Awaited<ReturnType<typeof import('../ui/server/ui-beside.ts').startUiBeside>> | undefined
  return {
    async open(folder) {
      const { startUiBeside } = await import('../ui/server/ui-beside.ts')
      const token = process.env.ZEROTH_UI_TOKEN
      page = await startUiBeside(folder, { port: uiPort, token, program: process.argv[1] ?? '' })
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
