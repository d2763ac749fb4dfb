import type { ImageShape, Vector } from '../core/types.ts'
import type { Preprocessing } from './preprocessing.ts'

/**
 * Images on demand: pixels from 0 to 1 (a byte divided by 255), one channel plane after the other, red first. The rows
 * of a query are images, too.
 */
export interface Images {
  readonly rows: number
  write(row: number, into: Vector, offset?: number): void
}

/** A classifier at work. */
export interface Model {
  readonly shape: ImageShape
  /** How many scores it gives for an image; the dummy ones that `labelOffset` skips are not counted. */
  readonly classes: number
  readonly scores: 'logits' | 'probabilities'
  /** The pixel values it is made for. */
  readonly bounds: { readonly lower: number; readonly upper: number }
  /** Images per call of the network at most. */
  readonly batch: number
  /** Calls of the network that may be under way at once; one if left out. */
  readonly places?: number | undefined
  /** What computes the scores, for the record: the same weights may answer differently elsewhere. */
  readonly runtime: string
  /** Things the user should know about this model. */
  readonly warnings: readonly string[]
  /** How pixels become what the network is fed, where that is known: `measureAccuracy` looks for mistakes in it. */
  readonly preprocessing?: Preprocessing | undefined
  /**
   * Fills `into` with the scores of every image, `classes` numbers each. Rejects if any of them could not be had (those
   * that could are there then, too), or with the signal's reason. Several calls may be under way at once.
   */
  predict(images: Images, into: Float32Array | Float64Array, signal?: AbortSignal): void | Promise<void>
  /** Lets go of memory, threads and connections; it may be called twice. */
  close(): void | Promise<void>
}

/** Where a classifier comes from. */
export interface ModelSource {
  /** Loads it, or finds out what the other side serves. */
  open(): Promise<Model>
}
