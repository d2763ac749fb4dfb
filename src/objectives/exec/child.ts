import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { type Lines, lineReader } from './lines.ts'
import { endGroup, watchGroup } from './process-group.ts'
import { type FailureDetails, type Program, truncated } from './program.ts'

/** How a child ended: with exit code 0, in any other way, or before it began; where it never can, it is unusable. */
export type Ending = 'well' | 'badly' | 'not started' | 'unusable'

/** What is told while a child lives. */
export interface Listener {
  line(text: string): void
  tooLong(): void
  /** Told once, after the last line: what became of it. */
  over(what: string, ending: Ending): void
  /** Told where it closed its standard input and went on without it. */
  deaf?(): void
}

/** A process at work. */
export interface Child {
  /** Resolves once the child has taken it in, or never will. */
  send(text: string): Promise<void>
  /** There will be no more requests. */
  finish(): void
  /** Ends it and whatever it has started. */
  stop(): Promise<void>
  /** The last it wrote to its standard error output, without secrets: line by line, up to two kilobytes. */
  lastWords(): readonly string[]
  /** Whether the program may not end before this child does. */
  hold(held: boolean): void
}

/** Characters kept of what a child says on its standard error output. */
const kept = 2048

/** Milliseconds for a child that stopped reading to end: its exit code says more than a broken pipe. */
const untilExit = 200

/** Starts a process without a shell, as the leader of a group of its own. */
export function startChild(program: Program, listener: Listener): Child {
  const child = spawned(program)
  const lastWords: string[] = []
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => (stopping ??= endGroup(child))
  const over = once(listener.over)

  read(child.stdout, lineReader(program.maxLineBytes, listener.line, listener.tooLong))
  const note = (line: string): void => {
    lastWords.push(truncated(program.redact(line), kept))
    while (lastWords.join('\n').length > kept) lastWords.shift()
  }
  read(
    child.stderr,
    lineReader(program.maxLineBytes, note, () => undefined),
  )
  child.on('error', (error) => over(whyNotStarted(error, program), isUnusable(error) ? 'unusable' : 'not started'))
  // What it leaves behind in its group would hold its pipes open.
  child.on('exit', () => void stop())
  child.on('close', (code, signal) => {
    over(signal === null ? `exited with code ${code}` : `was ended by ${signal}`, code === 0 ? 'well' : 'badly')
  })
  child.stdin?.on('error', () => setTimeout(() => listener.deaf?.(), untilExit).unref())

  return {
    stop,
    send: (text) => written(child, text),
    finish: () => child.stdin?.end(),
    lastWords: () => lastWords,
    hold: (held) => hold(child, held),
  }
}

/** What a child's ending says about all queries. */
export function detailsOf(ending: Ending): FailureDetails {
  return ending === 'unusable' ? { code: 'invalid-objective', retryable: false } : {}
}

function spawned(program: Program): ChildProcess {
  const { file, args, cwd, env } = program
  try {
    const child = spawn(file, [...args], {
      shell: false,
      stdio: 'pipe',
      detached: process.platform !== 'win32',
      windowsHide: true,
      env: { ...process.env, ...env },
      ...(cwd === undefined ? {} : { cwd }),
    })
    watchGroup(child)
    return child
  } catch (error) {
    const details = detailsOf(isUnusable(error) ? 'unusable' : 'not started')
    throw program.failure(whyNotStarted(error as Error, program), details)
  }
}

function read(stream: ChildProcess['stdout'], lines: Lines): void {
  stream?.on('data', (bytes: Uint8Array) => lines.push(bytes))
  stream?.on('end', () => lines.end())
  stream?.on('error', () => undefined)
}

function written({ stdin }: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve) => stdin?.write(text, () => resolve()))
}

function hold(child: ChildProcess, held: boolean): void {
  const sockets = child.stdio.filter((stream) => stream !== null && stream !== undefined) as unknown as Socket[]
  for (const handle of [child, ...sockets]) {
    if (held) handle.ref()
    else handle.unref()
  }
}

/** Errors that say something about the command; all others, such as too many processes, may pass. */
const unusable = ['ENOENT', 'EACCES', 'ENOTDIR', 'ENOEXEC', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'E2BIG', 'EINVAL']

function isUnusable(error: unknown): boolean {
  return unusable.includes(String((error as NodeJS.ErrnoException).code))
}

function whyNotStarted(error: Error, { file }: Program): string {
  const { code } = error as NodeJS.ErrnoException
  const hint = /\s/.test(file) ? '; give its arguments as separate items of the command' : ''
  if (code === 'ENOENT') return `cannot be started: there is no such program (ENOENT)${hint}`
  if (code === 'EACCES') return 'cannot be started: it may not be executed (EACCES)'
  return `cannot be started: ${error.message}`
}

function once(call: Listener['over']): Listener['over'] {
  let called = false
  return (what, ending) => {
    if (called) return
    called = true
    call(what, ending)
  }
}
