import type { Value } from '../../optimizer/core/variable-types.ts'
import type { ItemDone, Progress } from '../jobs/events.ts'
import type { JobView as StoredView } from '../jobs/job.ts'

/** A number as JSON has it: null if it is not finite. */
export type Figure = number | null

/** What the files of a job tell, and while it runs its events, of how far it is. */
type Known = Omit<StoredView, 'folder' | 'members' | 'best' | 'value' | 'items'> &
  Partial<Pick<Progress, 'rate' | 'left' | 'phase' | 'waiting' | 'items'>>

/** A job as the list, its own page and every message show it: the one shape of state, counts, best value and time left. */
export interface JobView extends Known {
  /** Small letters, digits and hyphens: the name of its folder and a hash of where it is. */
  readonly id: string
  readonly name: string
  /** The series or the tuning that it is part of. */
  readonly parent?: string | undefined
  /** What it is about: the objective or the model, and the method. */
  readonly about: string
  readonly maxQueries?: number | undefined
  readonly best?: Figure | undefined
  /**
   * What it is judged by if that is not its best value: the median over the finished runs of a series, the mean over
   * seeds of the best setting of a tuning; of an attack, the objective that a tuning compares.
   */
  readonly value?: Figure | undefined
  readonly robustAccuracy?: Figure | undefined
  /** The best value at evenly spaced places of the trace. */
  readonly spark?: readonly Figure[] | undefined
}

/** A page of the list. */
export interface JobList {
  readonly rows: readonly JobView[]
  /** How many there are that match. */
  readonly total: number
  /** How many there are at all. */
  readonly all: number
  /** What asks for the next page. */
  readonly next?: string | undefined
  readonly folder: string
  readonly mayControl: boolean
}

/** An iteration: its number, queries, seconds (null if they are not known), value and best value. */
export type CurveRow = readonly [iteration: number, queries: number, seconds: Figure, value: Figure, best: Figure]

/** The course of a run. */
export interface CurveData {
  readonly rows: readonly CurveRow[]
  /** Iterations in the trace; more than there are rows if it was thinned. */
  readonly total: number
}

/** One coordinate of a point. */
export interface Coordinate {
  readonly name: string
  readonly value: Figure | Value
  /** What a variable with a name may be, in words; others have bounds, where there are any. */
  readonly range?: string | undefined
  readonly lower?: Figure | undefined
  readonly upper?: Figure | undefined
}

/** What a job would execute, should it be resumed. */
export interface Execution {
  readonly what: string
  readonly text: string
}

/** A setting that a tuning has tried. */
export interface TriedSetting {
  readonly setting: Readonly<Record<string, number>>
  readonly value: Figure
  readonly seeds: number
  readonly members: readonly string[]
  /** Whether it is the best of those that all seeds have tried. */
  readonly isBest: boolean
}

/** What is known of a job beside its row. */
export interface JobDetail {
  readonly job: JobView
  readonly zeroth?: string | undefined
  readonly machine?: Readonly<Record<string, unknown>> | undefined
  /** The resolved spec, without secrets. */
  readonly spec: Readonly<Record<string, unknown>>
  readonly command: string
  readonly executes: readonly Execution[]
  /** The digest of the spec that this tells of: who resumes the job says it. */
  readonly shown: string
  /** Why the job cannot be resumed from the page. */
  readonly refusal?: string | undefined
  readonly files: readonly { readonly name: string; readonly bytes: number }[]
  readonly report?: string | undefined
  readonly warnings: readonly string[]
  readonly run?: RunDetail | undefined
  readonly members?: readonly JobView[] | undefined
  readonly tried?: readonly TriedSetting[] | undefined
  readonly evaluation?: EvaluationDetail | undefined
}

/** When a point was saved that is not told by the run itself: queries asked by then, and its value. */
export interface SavedAt {
  readonly queries: number
  readonly value: number
}

/** What is known of a run that has ended. */
export interface RunDetail {
  readonly dim?: number | undefined
  readonly point?: readonly Coordinate[] | undefined
  readonly saved?: SavedAt | undefined
  readonly phases: readonly {
    readonly method: string
    readonly why: string
    readonly queries: number
    readonly value: Figure
  }[]
  /** The answers at the point of a run whose answers vary. */
  readonly estimate?: { readonly mean: number; readonly error: number; readonly answers: number } | undefined
  readonly stopReason?: string | undefined
  readonly seed?: number | undefined
  readonly hash?: string | undefined
  readonly failures?: number | undefined
  readonly retries?: number | undefined
  readonly cacheHits?: number | undefined
}

/** What is known of an evaluation. */
export interface EvaluationDetail {
  readonly images: string
  readonly universal: boolean
  readonly meaning?: string | undefined
  readonly screened?: number | undefined
  readonly attacked: number
  readonly fooled: number
  readonly robust: number
  readonly skipped: number
  readonly failed: number
  readonly unfinished: number
  readonly unconfirmed: number
  readonly robustAccuracy?: Figure | undefined
  /** Its 95 % confidence interval. */
  readonly robustInterval?: readonly Figure[] | undefined
  /** What it could be, were the images known that could not be measured. */
  readonly robustAccuracyBounds?: readonly Figure[] | undefined
  readonly cleanAccuracy?: Figure | undefined
  readonly successRate?: Figure | undefined
  readonly successInterval?: readonly Figure[] | undefined
  /** Over the images fooled: queries of the first success, and the smallest change found, as floating-point numbers. */
  readonly medianQueries?: Figure | undefined
  readonly medianL2?: Figure | undefined
  readonly medianLinf?: Figure | undefined
  /** The same of the saved 8-bit files, as cards show it. */
  readonly medianSavedL2?: Figure | undefined
  readonly limits?:
    | readonly {
        readonly norm: string
        readonly size: number
        readonly robustAccuracy: Figure
        readonly interval: readonly Figure[]
      }[]
    | undefined
  /** The attacked images, queries of the first success of each, null if there was none, and the most that one got. */
  readonly success: { readonly images: readonly number[]; readonly first: readonly Figure[]; readonly most: number }
  /** The classes that images have, by name, and the methods that fooled the model or were withstood. */
  readonly classes: readonly string[]
  readonly methods: readonly string[]
}

/** An image of an evaluation in the gallery. */
export interface ItemRow extends Omit<ItemDone, 'type' | 'pictures'> {
  /** Queries of its first success. */
  readonly firstQueries?: number | undefined
  /** What the model sees in the untouched picture. */
  readonly before?: string | undefined
  /** The method that fooled the model; of an image that withstood, all that were tried. */
  readonly methods: readonly string[]
  /** Which of original, adversarial and perturbation there are. */
  readonly pictures: readonly PictureName[]
}

export type PictureName = 'original' | 'adversarial' | 'perturbation'

/** A page of images. */
export interface ItemList {
  readonly items: readonly ItemRow[]
  readonly total: number
  readonly next?: number | undefined
}

/** An image with its course. */
export interface ItemDetail {
  readonly item: ItemRow
  readonly target?: string | undefined
  readonly methods: readonly string[]
  readonly stopReason?: string | undefined
  readonly curve?:
    | { readonly queries: readonly number[]; readonly loss: readonly Figure[]; readonly l2: readonly Figure[] }
    | undefined
  readonly previous?: number | undefined
  readonly next?: number | undefined
}

/** How far a job is. */
export interface ProgressMessage {
  readonly type: 'progress'
  readonly job: JobView
  /** The best point so far by name. */
  readonly point?: readonly Coordinate[] | undefined
  readonly saved?: SavedAt | undefined
  readonly tail: readonly CurveRow[]
}

/** What the server tells of its own accord. */
export type Message =
  | { readonly type: 'job'; readonly job: JobView }
  | { readonly type: 'gone'; readonly id: string }
  | ProgressMessage
  | { readonly type: 'item'; readonly id: string; readonly item: ItemRow }
  | { readonly type: 'warning'; readonly id: string; readonly message: string }
