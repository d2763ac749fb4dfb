import type { JsonObject } from '../../spec/index.ts'
import type { WorkKind } from '../events.ts'
import type { WorkState } from '../work.ts'

/** A number of a work, as experiment trackers keep it. */
export interface Metric {
  readonly name: string
  /** Queries asked by then; of a number about one image, the number of that image. */
  readonly step: number
  readonly value: number
  /** Seconds of work by then. */
  readonly seconds: number
}

/** A saved picture. */
export interface TrackedPicture {
  readonly name: string
  readonly file: string
  /** What it is, in words. */
  readonly about: string
}

/** Where a work is among those exported with it. */
export interface Place {
  /** Its name and those of the works or folders it is in, the outermost first. */
  readonly path: readonly string[]
  /** Whether it belongs to the work that is named before it: a series, or a tuning. */
  readonly isMember: boolean
}

/** A work as experiment trackers know one: settings, facts, numbers over queries, results, pictures. */
export interface Tracked extends Place {
  readonly kind: WorkKind
  readonly created: string
  readonly state: WorkState
  readonly settings: JsonObject
  /** Seed, hash, version and the like. */
  readonly facts: Readonly<Record<string, string>>
  /** Queries and seconds at its end, or so far. */
  readonly end: { readonly queries: number; readonly seconds: number }
  /** Results by name, those that are not known left out. */
  readonly results: NamedNumbers
  readonly warnings: readonly string[]
  /** Its course, an iteration after the other. */
  history(): Iterable<Metric>
  /** The same with at most so many iterations. */
  thinHistory(points: number): Promise<ThinHistory>
  /** Of an evaluation: numbers of each image, one step per image. */
  readonly images: readonly Metric[]
  /** Of an evaluation: the course of the attack on each image. */
  curves(): Iterable<Metric>
  readonly pictures: readonly TrackedPicture[]
  /** Files that say all of it, with every digit. */
  files(): readonly TrackedFile[]
}

/** A course of which some iterations may be left out: how many there are of how many. */
export interface ThinHistory {
  readonly metrics: readonly Metric[]
  readonly rows: number
  readonly iterations: number
}

/** A file that goes with a work. */
export interface TrackedFile {
  readonly name: string
  readonly content: string
}

/** Numbers with their names. */
export type NamedNumbers = readonly (readonly [name: string, value: number])[]

/** All numbers inside a value, by the way to each of them: `bestL2/mean`, `limits/0/queries`. */
export function numbersIn(value: unknown, name: string): NamedNumbers {
  if (typeof value === 'number') return [[name, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => numbersIn(each, `${name}/${key}`))
}
