import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { type FailureDetails, type Program, truncated } from './program.ts'

/** How a child ended: with exit code 0, in any other way, or before it began; where it never can, it is unusable. */
export type Ending = 'well' | 'badly' | 'not started' | 'unusable'

/** What is told while a child lives. */
interface Listener {
  line(text: string): void
  tooLong(): void
  /** Told once, after the last line: what became of it, with its exit code if it has one. */
  over(what: string, ending: Ending, code?: number | null): void
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
  stderrTail(): readonly string[]
  /** Whether the program may not end before this child does. */
  hold(held: boolean): void
}

/** Characters kept of what a child says on its standard error output. */
const tailLength = 2048

/** Milliseconds for a child that stopped reading to end: its exit code says more than a broken pipe. */
const untilExit = 200

/** Starts a process without a shell, as the leader of a group of its own. */
export function startChild(program: Program, listener: Listener): Child {
  const child = spawned(program)
  const stderrTail: string[] = []
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => (stopping ??= endGroup(child))
  const over = once(listener.over)

  read(child.stdout, lineReader(program.maxLineBytes, listener.line, listener.tooLong))
  const note = (line: string): void => {
    stderrTail.push(truncated(program.redact(line), tailLength))
    while (stderrTail.join('\n').length > tailLength) stderrTail.shift()
  }
  read(
    child.stderr,
    lineReader(program.maxLineBytes, note, () => undefined),
  )
  child.on('error', (error) => over(whyNotStarted(error, program), isUnusable(error) ? 'unusable' : 'not started'))
  // What it leaves behind in its group would hold its pipes open.
  child.on('exit', () => void stop())
  child.on('close', (code, signal) => {
    over(signal === null ? `exited with code ${code}` : `was ended by ${signal}`, code === 0 ? 'well' : 'badly', code)
  })
  child.stdin?.on('error', () => setTimeout(() => listener.deaf?.(), untilExit).unref())

  return {
    stop,
    send: (text) => written(child, text),
    finish: () => child.stdin?.end(),
    stderrTail: () => stderrTail,
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
  return (what, ending, code) => {
    if (called) return
    called = true
    call(what, ending, code)
  }
}

/** Takes bytes as they come and gives lines of text. */
interface Lines {
  push(bytes: Uint8Array): void
  /** There is nothing more to come: what is left is a line, too. */
  end(): void
}

const newLine = 10
const carriageReturn = 13

/**
 * Cuts a stream of bytes into lines, at new lines and carriage returns alike, and leaves out blank ones. Of a line
 * that is too long nothing is kept but one note.
 */
export function lineReader(maxBytes: number, onLine: (line: string) => void, onTooLong: () => void): Lines {
  let parts: Uint8Array[] = []
  let length = 0
  let tooLong = false

  const add = (bytes: Uint8Array): void => {
    length += bytes.length
    if (length <= maxBytes) parts.push(bytes)
    else if (!tooLong) {
      tooLong = true
      parts = []
      onTooLong()
    }
  }

  const end = (): void => {
    const line = Buffer.concat(parts).toString('utf8').trim()
    parts = []
    length = 0
    tooLong = false
    if (line !== '') onLine(line)
  }

  return {
    push(bytes) {
      let start = 0
      for (let i = 0; i < bytes.length; i++) {
        if (bytes[i] !== newLine && bytes[i] !== carriageReturn) continue
        add(bytes.subarray(start, i))
        end()
        start = i + 1
      }
      if (start < bytes.length) add(bytes.subarray(start))
    },
    end,
  }
}

/** Milliseconds between the polite signal and the final one. */
const patience = 800

/** Milliseconds after the final signal until waiting ends. */
const lastWait = 500

/** Milliseconds until the first look; each time it takes twice as long until the next. */
const firstLook = 10

const onWindows = process.platform === 'win32'

/** Leaders of the groups that may still have members. */
const groups = new Set<number>()

/** Sees to it that a child's whole group ends with this program, however that ends, short of being killed itself. */
function watchGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  if (groups.size === 0) {
    process.on('exit', killAll)
    // First, so that a listener that listens once still counts when we look.
    for (const signal of endings) process.prependListener(signal, onEnding)
  }
  groups.add(child.pid)
}

/** Ends a child with every descendant that stayed in its group: politely first, for good within a second. */
async function endGroup(child: ChildProcess): Promise<void> {
  const { pid } = child
  if (pid === undefined || !groups.has(pid)) return
  if (signalGroup(pid, 'SIGTERM')) await trueWithin(patience, () => isGone(child, pid))
  if (signalGroup(pid, 'SIGKILL')) await trueWithin(lastWait, () => isGone(child, pid))
  forget(pid)
  // What the child said last is still to be read, but a descendant that left the group may hold the pipes for ever.
  await closedWithin(lastWait, child)
  for (const stream of child.stdio) stream?.destroy()
}

/** Sends a signal to a group, 0 being none; false where it has no members any more. */
function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  if (onWindows) return signalTree(pid, signal)
  try {
    return process.kill(-pid, signal)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Windows knows neither groups nor polite signals: the tree is ended at once. */
function signalTree(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    if (signal !== 0) spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function trueWithin(milliseconds: number, isTrue: () => boolean): Promise<void> {
  const end = performance.now() + milliseconds
  for (let pause = firstLook; performance.now() < end && !isTrue(); pause *= 2) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(pause, end - performance.now())))
  }
}

async function closedWithin(milliseconds: number, child: ChildProcess): Promise<void> {
  if (child.stdio.every((stream) => stream?.closed ?? true)) return
  await new Promise<void>((resolve) => {
    // What has arrived by then is read first, however late it is.
    const timer = setTimeout(() => setImmediate(resolve), milliseconds)
    child.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

function isGone(leader: ChildProcess, pid: number): boolean {
  if (!signalGroup(pid, 0)) return true
  const leaderEnded = leader.exitCode !== null || leader.signalCode !== null
  return leaderEnded && !hasLivingMembers(pid)
}

function forget(pid: number): void {
  groups.delete(pid)
  if (groups.size > 0) return
  process.removeListener('exit', killAll)
  for (const signal of endings) process.removeListener(signal, onEnding)
}

function killAll(): void {
  for (const pid of groups) signalGroup(pid, 'SIGKILL')
}

/** The signals that end a program which does not listen to them, and with it would leave its children behind. */
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function onEnding(signal: NodeJS.Signals): void {
  // Where somebody else listens, too, the program itself decides whether it ends.
  if (process.listenerCount(signal) > 1) return
  killAll()
  process.removeListener(signal, onEnding)
  process.kill(process.pid, signal)
}

/**
 * Whether a process group has a member that lives. Where there is no /proc the answer is yes. Dead processes that
 * were never reaped do not count: in a container their new parent may never do so.
 */
function hasLivingMembers(group: number): boolean {
  try {
    return readdirSync('/proc').some((name) => /^\d+$/.test(name) && lives(name, group))
  } catch {
    return true
  }
}

function lives(pid: string, group: number): boolean {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold anything; state, parent and group follow it.
    const [state, , itsGroup] = line.slice(line.lastIndexOf(')') + 2).split(' ')
    return Number(itsGroup) === group && state !== 'Z' && state !== 'X'
  } catch {
    return false
  }
}
