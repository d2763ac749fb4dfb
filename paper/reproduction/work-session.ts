import { commit } from '../../src/app/provenance/commit.ts'
import { machine, zerothVersion } from '../../src/app/provenance/machine.ts'
import { now } from '../../src/app/provenance/wall-clock.ts'
import type { WorkSession } from './page/provenance.ts'
import { type ReproduceRecord, readReproduction, writeReproduction } from './reproduce-record.ts'

/** A session in progress. */
export interface OpenWorkSession {
  /** Records an attack that has finished. */
  done(): void
  /** Ends it; returns the record of the folder. */
  end(): ReproduceRecord
}

/** Clocks, and how often a session is recorded while no attack finishes. */
export interface SessionClocks {
  /** Milliseconds that only grow. */
  readonly elapsed?: () => number
  readonly timeOfDay?: () => string
  readonly every?: number
}

/** Milliseconds: a process that is killed loses at most this much of its running time. */
const usualInterval = 60_000

/** Seconds: a shorter session without a finished attack, such as one with a wrong path, is not recorded. */
const worthKeeping = 3

/**
 * Begins a session and keeps recording it in the folder until it ends: even if the process is killed, the folder says when,
 * with what and for how long attacks ran.
 */
export function beginWorkSession(
  folder: string,
  about: { readonly command: string; readonly conduct: ReproduceRecord['conduct'] },
  { elapsed = () => performance.now(), timeOfDay = now, every = usualInterval }: SessionClocks = {},
): OpenWorkSession {
  const start = elapsed()
  const made = { began: timeOfDay(), command: about.command, zeroth: zerothVersion(), commit: commit() }
  let attacks = 0
  const isOwn = ({ began, command }: WorkSession): boolean => began === made.began && command === made.command
  // Another process may be running in the folder: only this session is changed.
  const keep = (isOver = false): ReproduceRecord => {
    const record = readReproduction(folder) as ReproduceRecord
    const seconds = (elapsed() - start) / 1000
    const own: WorkSession = { ...made, ended: timeOfDay(), seconds, attacks, machine: machine() }
    const before = workSessionsOf(record).find(isOwn)?.seconds ?? 0
    const isNothing = isOver && attacks === 0 && seconds < worthKeeping
    const sessions = [...workSessionsOf(record).filter((each) => !isOwn(each)), ...(isNothing ? [] : [own])]
    const total = record.seconds - before + (isNothing ? 0 : seconds)
    const kept = { ...record, seconds: total, sittings: inOrder(sessions), conduct: about.conduct }
    writeReproduction(folder, kept)
    return kept
  }
  keep()
  const timer = setInterval(() => quietly(keep), every)
  timer.unref()
  return {
    done() {
      attacks++
      keep()
    },
    end() {
      clearInterval(timer)
      return keep(true)
    },
  }
}

/** The sessions of a reproduction; a folder from before they were recorded has a single one, taken from its own data. */
export function workSessionsOf({
  sittings,
  created,
  seconds,
  zeroth,
  machine: on,
}: ReproduceRecord): readonly WorkSession[] {
  return sittings ?? [{ began: created, seconds, zeroth, machine: on }]
}

function inOrder(sessions: readonly WorkSession[]): WorkSession[] {
  return [...sessions].sort((a, b) => (a.began < b.began ? -1 : Number(a.began > b.began)))
}

/** A failed timer must not end the work: what cannot be written now is written later, or fails where it is noticed. */
function quietly(work: () => unknown): void {
  try {
    work()
  } catch {}
}
