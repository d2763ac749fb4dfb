import { existsSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { AttackPlace, Looked, RunAttack } from '../../attacks/index.ts'
import type { Objective } from '../../index.ts'
import { now } from '../../provenance/wall-clock.ts'
import { createRun, driveRun, openRun, type RunStore } from '../../trace/index.ts'
import { isRun } from '../folders.ts'
import { makeFolder } from '../make-folder.ts'
import { imageFolder, layout } from './attack-layout.ts'
import type { AttackRecord } from './attack-record.ts'

/** What is told while attacks are run. */
export interface AttackObserver {
  /** So many queries are asked of the model, not read again from a journal. */
  asked(queries: number): void
  /** Something that had to be done to the files of a run. */
  note(text: string): void
  /** What is known of an image. */
  about(index: number): Looked | undefined
}

/**
 * Minimises in a run of its own below the folder of the attack, which continues where an earlier process left it: its
 * checkpoint holds the account of the attack, which is told of every answer behind that.
 */
export function storedAttack(folder: string, record: AttackRecord, observer: AttackObserver): RunAttack {
  return async (problem, session, place, { signal, onIteration }) => {
    const store = await openPlace(folder, record, place, session.seed ?? 0, observer)
    try {
      for (const note of store.notes) observer.note(`${basename(store.folder)}: ${note}`)
      const objective = counted(problem.objective, observer)
      const result = await driveRun(store, objective, problem.start, session, { signal, onIteration })
      const { status, stopReason, error } = result
      return { status, stopReason, error: error === undefined ? undefined : new Error(error) }
    } finally {
      await store.close()
    }
  }
}

/** The run of a place: the one that is there, or a new one. */
async function openPlace(
  folder: string,
  { spec, machine, zeroth }: AttackRecord,
  { index, title }: AttackPlace,
  seed: number,
  { about }: AttackObserver,
): Promise<RunStore> {
  const isUniversal = index < 0
  const run = join(folder, isUniversal ? layout.universal : imageFolder(index))
  if (isRun(run)) {
    // The account is needed: a run that has finished ends again from its last checkpoint, which asks nothing.
    if (existsSync(join(run, 'result.json'))) rmSync(join(run, 'result.json'))
    return openRun(run)
  }
  await makeFolder(run)
  const { label = null, target = null } = about(index) ?? {}
  const image = { index, title, label, target, seed }
  const meant = isUniversal ? { attack: spec } : { attack: spec, image }
  return createRun(run, { id: basename(run), created: now(), zeroth, spec: meant, machine })
}

function counted(objective: Objective, observer: AttackObserver): Objective {
  return {
    ...objective,
    dim: objective.dim,
    evaluate(queries, into, signal) {
      const work = objective.evaluate(queries, into, signal)
      const count = (): void => observer.asked(queries.rows)
      return work === undefined ? count() : work.then(count)
    },
  }
}
