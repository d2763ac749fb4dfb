import { commit } from '../../src/provenance/commit.ts'
import { machine, zerothVersion } from '../../src/provenance/machine.ts'
import { now } from '../../src/provenance/wall-clock.ts'
import type { WorkSession } from './page/provenance.ts'
import { type ReproduceRecord, readReproduction, writeReproduction } from './reproduce-record.ts'

/** A session under way. */
export interface OpenWorkSession {
  /** Takes note of an attack that has come to its end. */
  done(): void
  /** Ends it; returns what the folder says then. */
  end(): ReproduceRecord
}

/** Clocks, and how often a session is kept while nothing comes to its end. */
export interface SessionClocks {
  /** Milliseconds that only grow. */
  readonly elapsed?: () => number
  readonly timeOfDay?: () => string
  readonly every?: number
}

/** Milliseconds: a process that is killed loses no more of the time it was at work. */
const usualInterval = 60_000

/** Seconds within which a call that came to nothing, as one with a wrong path, is none worth a record. */
const worthKeeping = 3

/**
 * Begins a session and keeps it in the record of the folder, again and again until it ends: whatever ends the process, the
 * folder says when, with what and for how long attacks were made.
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
  // Another process may be at work in the folder: only this session is changed.
  const keep = (isOver = false): ReproduceRecord => {
    const record = readReproduction(folder) as ReproduceRecord
    const seconds = (elapsed() - start) / 1000
    const own: WorkSession = { ...made, ended: timeOfDay(), seconds, attacks, machine: machine() }
    const before = workSessionsOf(record).find(isOwn)?.seconds ?? 0
    const isNothing = isOver && attacks === 0 && seconds < worthKeeping
    const sittings = [...workSessionsOf(record).filter((each) => !isOwn(each)), ...(isNothing ? [] : [own])]
    const total = record.seconds - before + (isNothing ? 0 : seconds)
    const kept = { ...record, seconds: total, sittings: inOrder(sittings), conduct: about.conduct }
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

/** The sittings of a reproduction. Of a folder of before they were kept, what it says of itself stands for all of them. */
export function workSessionsOf({
  sittings,
  created,
  seconds,
  zeroth,
  machine: on,
}: ReproduceRecord): readonly WorkSession[] {
  return sittings ?? [{ began: created, seconds, zeroth, machine: on }]
}

function inOrder(sittings: readonly WorkSession[]): WorkSession[] {
  return [...sittings].sort((a, b) => (a.began < b.began ? -1 : Number(a.began > b.began)))
}

/** A clock that strikes must not end the work: what cannot be written now is written later, or fails where it is seen. */
function quietly(work: () => unknown): void {
  try {
    work()
  } catch {}
}
