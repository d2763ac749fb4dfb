import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { z } from 'zod'

/** Which process: its number alone would not do, because numbers are used again. */
export const processIdentity = z.strictObject({
  pid: z.int().min(1),
  /** When it started, in ticks since the machine did; null where the system does not say. */
  started: z.string().max(64).nullable(),
  /** Which start of the machine; null where the system does not say. */
  boot: z.string().max(64).nullable(),
  host: z.string().max(256),
})
export type ProcessIdentity = z.output<typeof processIdentity>

/** This process. */
export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, started: statusOf(process.pid)?.started ?? null, boot: bootId(), host: hostname() }
}

/** Whether a process is still there. One on another machine cannot be checked from here: it is taken to be. */
export function isAlive({ pid, started, boot, host }: ProcessIdentity): boolean {
  if (host !== hostname()) return true
  const now = bootId()
  if (boot !== null && now !== null && boot !== now) return false
  if (!exists(pid)) return false
  const status = statusOf(pid)
  if (status === undefined || started === null) return true
  // A zombie has ended and only waits for its parent to hear of it.
  return status.started === started && !['Z', 'X'].includes(status.state)
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** State and start time from Linux's account of a process; the name before them may hold spaces and brackets. */
function statusOf(pid: number): { state: string; started: string } | undefined {
  const text = readText(`/proc/${pid}/stat`)
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, started] = [fields?.[0], fields?.[19]]
  return state === undefined || started === undefined ? undefined : { state, started }
}

function bootId(): string | null {
  return readText('/proc/sys/kernel/random/boot_id')?.trim() ?? null
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
