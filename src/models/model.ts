import { show, ZerothError } from '../core/errors.ts'
import type { ImageShape, Vector } from '../core/types.ts'
import type { Dataset } from '../datasets/dataset.ts'
import type { Preprocessing, TensorData, TensorType } from './preprocessing.ts'

/**
 * Images on demand: pixels from 0 to 1 (a byte divided by 255), one channel plane after the other, red first. The rows
 * of a query are images, too.
 */
export interface Images {
  readonly rows: number
  write(row: number, into: Vector, offset?: number): void
  /**
   * Writes a row and the next one, `into[offset...]` and right behind it; false where it cannot, and nothing was written then.
   * Two at once may cost less than one after the other.
   */
  writeTwo?(row: number, into: Vector, offset: number): boolean
  /**
   * Writes a row as the network takes it, where another thread has prepared it so; false where none has, and nothing was
   * written then.
   */
  writeTensor?(row: number, into: TensorData, offset: number): boolean
  /** Told of every row that is asked about again, before it is: it had brought no scores. */
  askedAgain?(row: number): void
  /** Told of every row whose scores are there, while others of the same call may be under way; not every model does that. */
  answered?(row: number): void
}

/** What the scores of a model are; labels: 1 for the class it answers with and 0 for all others. */
export type ScoreKind = 'logits' | 'probabilities' | 'labels'

/** A classifier at work. */
export interface Model {
  readonly shape: ImageShape
  /** How many scores it gives for an image; the dummy ones that `labelOffset` skips are not counted. */
  readonly classes: number
  readonly scores: ScoreKind
  /** The pixel values it is made for. */
  readonly bounds: { readonly lower: number; readonly upper: number }
  /** Where it takes whole numbers: the pixel values that one step apart become, such as 1/255 for bytes. */
  readonly grid?: number | undefined
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
  /** The numbers that the network takes, where it is one: with `preprocessing`, what its input is prepared by. */
  readonly tensor?: TensorType | undefined
  /**
   * There where the model answers with a class and nobody has said yet how many classes there are: the same model with so
   * many, in its place. Until then it has 0, and answers nothing.
   */
  readonly withClasses?: ((classes: number) => Model) | undefined
  /**
   * Fills `into` with the scores of every image, `classes` numbers each. Rejects if any of them could not be had (those
   * that could are there then, too), or with the signal's reason. Several calls may be under way at once.
   */
  predict(images: Images, into: Float32Array | Float64Array, signal?: AbortSignal): void | Promise<void>
  /** Frees memory, threads and connections; it may be called twice. */
  close(): void | Promise<void>
}

/** Where a classifier comes from. */
export interface ModelSource {
  /** Loads it, or finds out what the other side serves. */
  open(): Promise<Model>
}

/** Some of the images, in the order given. */
export function someImages(images: Images, rows: readonly number[]): Images {
  return {
    rows: rows.length,
    write: (row, into, offset) => images.write(rows[row] as number, into, offset),
    writeTwo(row, into, offset) {
      const first = rows[row] as number
      return rows[row + 1] === first + 1 && images.writeTwo?.(first, into, offset) === true
    },
    writeTensor: (row, into, offset) => images.writeTensor?.(rows[row] as number, into, offset) === true,
    askedAgain: (row) => images.askedAgain?.(rows[row] as number),
    answered: (row) => images.answered?.(rows[row] as number),
  }
}

/** Refuses what is no open model, and says what was forgotten. `owner` is what errors name. */
export function checkModel(model: Model, owner: string): void {
  const given: Partial<Model & ModelSource> = Object(model)
  const refuse = (why: string): never => {
    throw new ZerothError('invalid-model', `${owner}: ${why}`)
  }
  if (isPromise(given)) refuse('the model is a promise: await it')
  if (typeof given.open === 'function') refuse('open the model first: await onnxModel(...).open()')
  if (typeof given.predict === 'function' && typeof given.shape === 'object' && typeof given.classes === 'number')
    return
  refuse(`the model must be an open one, such as await onnxModel(...).open(), got ${show(model)}`)
}

/** Refuses what is no data set. */
export function checkDataset(dataset: Dataset, owner: string): void {
  const given: Partial<Dataset> = Object(dataset)
  const refuse = (why: string): never => {
    throw new ZerothError('invalid-data', `${owner}: ${why}`)
  }
  if (isPromise(given)) refuse('the data set is a promise: await it')
  const functions = [given.read, given.label, given.title]
  if (!functions.every((each) => typeof each === 'function')) {
    refuse(`the data set must be one such as await folderDataset(...), got ${show(dataset)}`)
  }
  if (Number.isInteger(given.count) && (given.count as number) >= 0) return
  refuse(`the data set's count must be a whole number of at least 0, got ${show(given.count)}`)
}

function isPromise(given: object): boolean {
  return typeof (given as { then?: unknown }).then === 'function'
}
