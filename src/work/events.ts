import type { HistoryRecord } from '../core/history.ts'
import type { NamedPoint } from '../core/named-variables.ts'
import type { Budget, QueueCounts } from '../core/types.ts'

/** What a work is: one minimisation, the same one with several seeds, a search for settings, a robustness evaluation. */
export type WorkKind = 'run' | 'series' | 'tuning' | 'evaluation'

/** How a work ended this time. One that was interrupted is saved and can be resumed. */
export type WorkEnd = 'finished' | 'interrupted' | 'failed'

/** A work has begun or has been resumed. The members of a series or a tuning name it as their parent. */
export interface Started {
  readonly type: 'started'
  readonly kind: WorkKind
  readonly parent?: string | undefined
  /** Of a member: what people call it among the others, as in `seed 3 (4 of 5)`. */
  readonly title?: string | undefined
  readonly resumed: boolean
  readonly budget: Budget
}

/** How far a work is: at most ten times a second, and only the latest one waits to be read. */
export interface Progress {
  readonly type: 'progress'
  readonly iterations: number
  readonly queries: number
  readonly value?: number | undefined
  readonly best?: number | undefined
  /** The best point so far by name, where variables have names: the first 12 of them. */
  readonly variables?: NamedPoint | undefined
  /** The first 12 coordinates of the best point so far, where variables have no names. */
  readonly point?: readonly number[] | undefined
  /** What the work is doing, where it does several things in turn: of an evaluation `screening`, then `attacking` or `universal`. */
  readonly phase?: string | undefined
  /** Queries per second since the work was begun or resumed; 0 while that is unknown. */
  readonly rate: number
  /** Milliseconds left at most, at this rate; undefined where nothing says when it ends. */
  readonly left?: number | undefined
  /** How much of the work is done, from 0 to 1, where that can be told. */
  readonly share?: number | undefined
  /** Milliseconds for which the model of an evaluation has not answered; undefined where it does. */
  readonly waiting?: number | undefined
  /** Of a work with several items: how many are done, of how many. */
  readonly items?: ItemCounts | undefined
  /** Of a work whose queries or images are handed out by way of a queue: who is there, and what is left to do. */
  readonly queue?: QueueCounts | undefined
  /** The iterations since the last progress, thinned to 64 at most. */
  readonly tail: readonly TimedRecord[]
}

/** An iteration, and how long the run had been at work by then. */
export interface TimedRecord extends HistoryRecord {
  readonly seconds: number
}

/** The items of an evaluation, a series or a tuning. */
export interface ItemCounts {
  readonly done: number
  readonly total: number
  /** Of an evaluation: images on which the model was fooled. */
  readonly fooled?: number | undefined
  readonly failed?: number | undefined
}

/** An image of an evaluation is done. */
export interface ItemDone {
  readonly type: 'item'
  /** The image's number in the data set. */
  readonly index: number
  readonly title: string
  readonly status: 'fooled' | 'robust' | 'skipped' | 'failed' | 'unfinished'
  readonly reason?: string | undefined
  readonly label?: number | undefined
  /** What its class is called, where classes have names. */
  readonly labelName?: string | undefined
  readonly predicted?: number | undefined
  readonly predictedName?: string | undefined
  readonly queries: number
  readonly l2?: number | undefined
  readonly linf?: number | undefined
  /** Whether the saved 8-bit picture still fools the model. */
  readonly holdsInBytes?: boolean | undefined
  /** Files below the folder of the work. */
  readonly pictures: readonly string[]
}

/** Something the user should know; the work continues. */
export interface Warning {
  readonly type: 'warning'
  /** `note`: worth a line in a log, no reason to worry. `queue`: who evaluates queries elsewhere has gone or is back. */
  readonly code: 'note' | 'queue' | 'model' | 'images' | 'settings' | 'result'
  readonly message: string
}

/** A work has ended for now. Its result is on disk, and in `Work.result`. */
export interface Finished {
  readonly type: 'finished'
  readonly status: WorkEnd
  /** Why it stopped: a stop reason, or the message of a failure. */
  readonly reason: string
}

/** What happens, before it is stamped. */
export type Happening = Started | Progress | ItemDone | Warning | Finished

/** Where and when it happened. */
export interface Stamp {
  readonly v: 1
  /** The name of the work: that of its folder, behind the name of its parent where it has one. */
  readonly work: string
  /** Counts the events of a work from 0, without gaps. */
  readonly seq: number
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Everything a terminal, a page, a queue or a program wants to know about a work in progress. Plain data, 16 kB at most. */
export type WorkEvent = Stamp & Happening
