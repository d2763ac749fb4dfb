import { type ChildProcess, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

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
export function watchGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  if (groups.size === 0) {
    process.on('exit', killAll)
    // First, so that a listener that listens once still counts when we look.
    for (const signal of endings) process.prependListener(signal, onEnding)
  }
  groups.add(child.pid)
}

/** Ends a child with every descendant that stayed in its group: politely first, for good within a second. */
export async function endGroup(child: ChildProcess): Promise<void> {
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
