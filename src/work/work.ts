import type { WorkEvent, WorkKind } from './events.ts'
import type { PerformControl } from './performing.ts'

/** Where a work is, as its files tell: `interrupted` has no result and no process that works on it. */
export type WorkState = 'running' | 'interrupted' | 'finished' | 'failed' | 'damaged'

/** How far a work is, as its files tell. */
export interface WorkStatus {
  readonly kind: WorkKind
  readonly folder: string
  readonly state: WorkState
  readonly created?: string | undefined
  readonly iterations?: number | undefined
  readonly queries?: number | undefined
  /** The lowest value; of a series or a tuning, that of any of its runs. */
  readonly best?: number | undefined
  /** What a series or a tuning is judged by: the median over its finished runs, or the mean over seeds of its best setting. */
  readonly value?: number | undefined
  /** Of a tuning: its best setting so far, in words. */
  readonly setting?: string | undefined
  readonly seconds?: number | undefined
  /** Of a work with several items: how many are done, of how many as far as that is known. */
  readonly items?: { readonly done: number; readonly total: number } | undefined
  /** Why it stopped, where it has ended: a stop reason, or the message of a failure. */
  readonly reason?: string | undefined
  /** Why it cannot be read. */
  readonly problem?: string | undefined
  /** The works of a series or a tuning. */
  readonly members?: readonly WorkStatus[] | undefined
}

/** Something with a folder that can be performed, stopped and resumed: a run, a series, a tuning, an evaluation. */
export interface Work<Result, Kind extends WorkKind = WorkKind> {
  readonly kind: Kind
  readonly folder: string
  /**
   * Takes the work from where it is to its end, or until the signal fires, and yields what happens. Asks nothing where
   * the work has finished. Leaving the loop saves the work; a failure that leaves nothing to resume rejects.
   */
  perform(control?: PerformControl): AsyncGenerator<WorkEvent, void, void>
  /** What the work has found, where it has ended. */
  result(): Result | undefined
  /** Closes what the work holds open (a model, a lock). A work that was performed to its end has done so. */
  close(): Promise<void>
}

/** Milliseconds for something to close; what is left then ends with the program. */
const patience = 3000

/** Closes an objective or a model, but does not wait for one that cannot be closed. */
export async function closeWithin(open: { close?: (() => Promise<unknown> | unknown) | undefined }): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patience)
  })
  await Promise.race([open.close?.(), enough]).finally(() => clearTimeout(timer))
}
